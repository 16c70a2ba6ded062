package schema

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// formatOf is what a format asks of a text; nil for one that asks nothing.
func formatOf(name string) func(string) bool {
	switch name {
	case "date":
		return isDate
	case "time":
		return isTime
	case "date-time":
		return isDateTime
	case "duration":
		return isDuration
	case "period":
		return isPeriod
	case "email":
		return isEmail
	case "hostname":
		return isHostname
	case "ipv4":
		return isIPv4
	case "ipv6":
		return isIPv6
	case "uri", "iri":
		return isURI
	case "uri-reference", "iri-reference":
		return isReference
	case "uri-template":
		return isTemplate
	case "json-pointer":
		return isPointer
	case "relative-json-pointer":
		return isRelativePointer
	case "uuid":
		return isUUID
	case "semver":
		return isSemver
	default:
		return nil
	}
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

func isDateTime(s string) bool {
	return len(s) >= 20 && isDate(s[:10]) && (s[10] == 'T' || s[10] == 't') && isTime(s[11:])
}

// isTime follows RFC 3339: with a fraction, an offset, and the leap second at the end of a day of UTC.
func isTime(s string) bool {
	if len(s) < 9 || s[5] != ':' {
		return false
	}
	minutes, ok := clock(s[:5])
	seconds, known := digits2(s[6:8], 60)
	if !ok || !known {
		return false
	}
	zone := s[8:]
	if fraction, ok := strings.CutPrefix(zone, "."); ok {
		n := leadingDigits(fraction)
		if n == 0 {
			return false
		}
		zone = fraction[n:]
	}
	offset := 0
	if zone != "Z" && zone != "z" {
		if len(zone) != 6 || zone[0] != '+' && zone[0] != '-' {
			return false
		}
		if offset, ok = clock(zone[1:]); !ok {
			return false
		}
		if zone[0] == '+' {
			offset = -offset
		}
	}
	const day = 24 * 60
	return seconds < 60 || (minutes+offset+day)%day == day-1
}

// clock reads "hh:mm" as minutes.
func clock(s string) (int, bool) {
	h, ok := digits2(s[:2], 23)
	m, known := digits2(s[3:], 59)
	return h*60 + m, ok && known && s[2] == ':'
}

func digits2(s string, most int) (int, bool) {
	if leadingDigits(s) != 2 {
		return 0, false
	}
	n, err := strconv.Atoi(s[:2])
	return n, err == nil && n <= most
}

func leadingDigits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

// isDuration follows RFC 3339, appendix A: weeks alone, or units that go down.
func isDuration(s string) bool {
	s, ok := strings.CutPrefix(s, "P")
	if !ok || s == "" {
		return false
	}
	if weeks, ok := strings.CutSuffix(s, "W"); ok {
		return weeks != "" && leadingDigits(weeks) == len(weeks)
	}
	date, clock, timed := strings.Cut(s, "T")
	return hasUnits(date, "YMD") && (!timed || clock != "" && hasUnits(clock, "HMS"))
}

func hasUnits(s, units string) bool {
	for s != "" {
		n := leadingDigits(s)
		if n == 0 || n == len(s) {
			return false
		}
		i := strings.IndexByte(units, s[n])
		if i < 0 {
			return false
		}
		units, s = units[i+1:], s[n+1:]
	}
	return true
}

// isPeriod is a start and an end, one of which may be a duration.
func isPeriod(s string) bool {
	start, end, ok := strings.Cut(s, "/")
	switch {
	case !ok:
		return false
	case strings.HasPrefix(start, "P"):
		return isDuration(start) && isDateTime(end)
	default:
		return isDateTime(start) && (isDateTime(end) || isDuration(end))
	}
}

func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 0 || at > 64 || len(s) > 254 {
		return false
	}
	return isMailbox(s[:at]) && isMailHost(s[at+1:])
}

func isMailbox(local string) bool {
	if len(local) > 1 && strings.HasPrefix(local, `"`) && strings.HasSuffix(local, `"`) {
		return !strings.ContainsAny(local[1:len(local)-1], `\"`)
	}
	if strings.HasPrefix(local, ".") || strings.HasSuffix(local, ".") || strings.Contains(local, "..") {
		return false
	}
	return consistsOf(local, ".!#$%&'*+-/=?^_`{|}~")
}

func isMailHost(host string) bool {
	inner, ok := strings.CutPrefix(host, "[")
	if inner, closed := strings.CutSuffix(inner, "]"); ok && closed {
		if six, ok := strings.CutPrefix(inner, "IPv6:"); ok {
			return isIPv6(six)
		}
		return isIPv4(inner)
	}
	return isHostname(host)
}

// consistsOf tells that a text is ASCII letters, digits and some others.
func consistsOf(s, others string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && !strings.ContainsRune(others, r)
	}) < 0
}

func isHostname(s string) bool {
	s = strings.TrimSuffix(s, ".")
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' || !consistsOf(label, "-") {
			return false
		}
	}
	return len(s) <= 253
}

func isIPv4(s string) bool {
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Is4()
}

func isIPv6(s string) bool {
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Is6() && addr.Zone() == ""
}

func isURI(s string) bool {
	u, ok := parseURL(s)
	return ok && u.IsAbs()
}

func isReference(s string) bool {
	_, ok := parseURL(s)
	return ok && !strings.Contains(s, `\`)
}

// parseURL looks at IPv6 hosts too, which net/url does not.
func parseURL(s string) (*url.URL, bool) {
	u, err := url.Parse(s)
	if err != nil {
		return nil, false
	}
	if host := u.Hostname(); strings.Contains(host, ":") {
		return u, strings.Contains(u.Host, "[") && strings.Contains(u.Host, "]") && isIPv6(host)
	}
	return u, true
}

// isTemplate asks for braces in pairs, not within each other, in each part of the path.
func isTemplate(s string) bool {
	u, ok := parseURL(s)
	if !ok {
		return false
	}
	for part := range strings.SplitSeq(u.RawPath, "/") {
		plain, err := url.PathUnescape(part)
		if err != nil {
			return false
		}
		open := false
		for _, r := range plain {
			if r == '{' || r == '}' {
				if open == (r == '{') {
					return false
				}
				open = !open
			}
		}
		if open {
			return false
		}
	}
	return true
}

// isPointer follows RFC 6901.
func isPointer(s string) bool {
	if s == "" {
		return true
	}
	rest := strings.NewReplacer("~0", "", "~1", "").Replace(s)
	return s[0] == '/' && !strings.Contains(rest, "~")
}

func isRelativePointer(s string) bool {
	n := leadingDigits(s)
	if n == 0 || n > 1 && s[0] == '0' {
		return false
	}
	return s[n:] == "#" || isPointer(s[n:])
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (s[i] == '-') || !dash && !strings.ContainsRune("0123456789abcdefABCDEF", rune(s[i])) {
			return false
		}
	}
	return true
}

func isSemver(s string) bool {
	s, build, ok := strings.Cut(s, "+")
	if ok && !identifiers(build, true) {
		return false
	}
	core, before, ok := strings.Cut(s, "-")
	if ok && !identifiers(before, false) {
		return false
	}
	parts := strings.Split(core, ".")
	for _, part := range parts {
		if leadingDigits(part) != len(part) || !isIdentifier(part, false) {
			return false
		}
	}
	return len(parts) == 3
}

func identifiers(s string, zeros bool) bool {
	for part := range strings.SplitSeq(s, ".") {
		if !isIdentifier(part, zeros) {
			return false
		}
	}
	return true
}

// isIdentifier is a part of a version; a number in it begins with 0 where zeros are allowed.
func isIdentifier(s string, zeros bool) bool {
	isNumber := leadingDigits(s) == len(s)
	return s != "" && consistsOf(s, "-") && (zeros || !isNumber || len(s) == 1 || s[0] != '0')
}
