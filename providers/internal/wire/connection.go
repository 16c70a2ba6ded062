package wire

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"syscall"

	"github.com/swarmrun/swarmrun/providers"
)

// Connection says what a failed send or read means: always transport, and not again at this candidate where another try
// meets the same wall. err itself is not kept.
func Connection(err error) *providers.Error {
	var (
		cert      *tls.CertificateVerificationError
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
		dns       *net.DNSError
	)
	e := &providers.Error{Kind: providers.KindTransport}
	switch {
	case errors.As(err, &cert), errors.As(err, &authority), errors.As(err, &host), errors.As(err, &invalid):
		e.Code, e.NoRepeat = "tls_verification", true
		e.Hint = "the server's certificate could not be verified; check base_url and the system's certificates"
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		e.Code, e.NoRepeat = "not_tls", true
		e.Hint = "the server does not speak TLS; use http:// in base_url"
	case errors.As(err, &dns) && dns.IsNotFound:
		e.Code, e.NoRepeat = "no_such_host", true
		e.Hint = "the host of base_url does not exist; check its spelling and the network"
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Code = "connection_refused"
		e.Hint = "nothing listens at base_url; start the server, or check host and port"
	}
	return e
}

// checkAddress refuses a base URL that no send could reach.
func checkAddress(base string) *providers.Error {
	if u, err := url.Parse(base); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		return nil
	}
	return &providers.Error{
		Kind: providers.KindTransport, Code: "bad_url", NoRepeat: true, Hint: "base_url must be an http:// or https:// address",
	}
}
