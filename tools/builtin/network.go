package builtin

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// Network is how WebFetch reaches hosts. The zero Network is the real one; nil fields mean its parts. Whatever they are,
// only public addresses are dialled: the policy stands between Lookup and Dial.
type Network struct {
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	Dial   func(ctx context.Context, network, address string) (net.Conn, error) // address is an IP and a port
	TLS    *tls.Config
}

// dialTimeout is how long finding and reaching a host may take, and again how long its TLS handshake. The HTTP client goes
// on dialling when its request was given up, so this ends it.
const dialTimeout = 10 * time.Second

// client is an HTTP client that reaches public addresses only. An address is judged after its name was resolved and then
// dialled as it is, for every connection, so a name that changes its mind gains nothing. Proxies are not used: behind one
// nobody could tell what is reached. Redirects are returned, not followed.
func (n Network) client() *http.Client {
	lookup, dial := n.Lookup, n.Dial
	if lookup == nil {
		lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	guarded := func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		addrs, err := publicAddresses(ctx, host, lookup)
		if err != nil {
			return nil, err
		}
		var faults []error
		for _, a := range addrs {
			conn, err := dial(ctx, network, net.JoinHostPort(a.String(), port))
			if err == nil {
				return conn, nil
			}
			faults = append(faults, err)
		}
		return nil, errors.Join(faults...)
	}
	return &http.Client{
		Transport: &http.Transport{
			DialContext:            guarded,
			TLSClientConfig:        n.TLS,
			TLSHandshakeTimeout:    dialTimeout,
			ForceAttemptHTTP2:      true,
			DisableKeepAlives:      true, // a fetch leaves no connection behind
			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// publicAddresses are the addresses of a host that may be dialled; none is an error.
func publicAddresses(ctx context.Context, host string, lookup func(context.Context, string) ([]netip.Addr, error)) ([]netip.Addr, error) {
	addrs := []netip.Addr{}
	if a, err := netip.ParseAddr(host); err == nil {
		addrs = append(addrs, a)
	} else if addrs, err = lookup(ctx, host); err != nil {
		return nil, err
	}
	var public []netip.Addr
	for _, a := range addrs {
		if isPublic(a) {
			public = append(public, a.Unmap())
		}
	}
	if len(public) == 0 && len(addrs) > 0 {
		return nil, fmt.Errorf("%s is at %s, which is no public address; WebFetch reaches public hosts only", host, addrs[0])
	}
	if len(public) == 0 {
		return nil, fmt.Errorf("%s has no address", host)
	}
	return public, nil
}

// isPublic reports whether an address is one of the public internet: not of this machine, a private or shared network, a
// link, a metadata service, a tunnel to one of these, or reserved (the registries of RFC 6890).
func isPublic(a netip.Addr) bool {
	if a = a.Unmap(); a.Zone() != "" {
		return false
	}
	if a.Is4() {
		return !inAny(a, reserved4())
	}
	if nat64 := netip.MustParsePrefix("64:ff9b::/96"); nat64.Contains(a) {
		b := a.As16()
		return !inAny(netip.AddrFrom4([4]byte(b[12:])), reserved4())
	}
	return netip.MustParsePrefix("2000::/3").Contains(a) && !inAny(a, reserved6())
}

func inAny(a netip.Addr, prefixes []string) bool {
	for _, p := range prefixes {
		if netip.MustParsePrefix(p).Contains(a) {
			return true
		}
	}
	return false
}

func reserved4() []string {
	return []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
		"192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
		"168.63.129.16/32", // a metadata service of a cloud, at a public address
	}
}

// reserved6 lists what is not public within 2000::/3, the part of IPv6 that is handed out.
func reserved6() []string {
	return []string{
		"2001::/23",     // protocols, tunnels (Teredo), ORCHID
		"2001:db8::/32", // documentation
		"2002::/16",     // 6to4: an IPv4 address in disguise
		"3fff::/20",     // documentation
	}
}
