package transport

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RetryAfter returns the pause that h asks for, counted from now, and whether h
// asks for one. retry-after-ms comes before x-ms-retry-after-ms before
// Retry-After, which is a number of seconds or a date (RFC 9110, section
// 10.2.3). A date in the past is a pause of zero, a number too large to hold is
// the longest pause there is, a fraction is tolerated. What is negative or
// nonsense counts as absent, and the next header is looked at.
func RetryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	for _, name := range [...]string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		if d, ok := parseDelay(first(h, name), time.Millisecond); ok {
			return d, true
		}
	}
	value := first(h, "Retry-After")
	if value == "" {
		return 0, false
	}
	if d, ok := parseDelay(value, time.Second); ok {
		return d, true
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(date.Sub(now), 0), true // Sub saturates
	}
	return 0, false
}

// first is h.Get, trimmed, for a name in net/http's own form.
func first(h http.Header, name string) string {
	if values := h[name]; len(values) > 0 {
		return strings.TrimSpace(values[0])
	}
	return ""
}

// parseDelay reads a decimal number of units.
func parseDelay(s string, unit time.Duration) (time.Duration, bool) {
	whole, fraction, dotted := strings.Cut(s, ".")
	if !digits(whole) || dotted && !digits(fraction) {
		return 0, false
	}
	n, err := strconv.ParseUint(whole, 10, 64)
	if err != nil || n > uint64(math.MaxInt64/unit) { // all digits, so the error is its size
		return math.MaxInt64, true
	}
	d := time.Duration(n) * unit
	if dotted {
		f, _ := strconv.ParseFloat("0."+fraction, 64)
		d += min(time.Duration(f*float64(unit)), math.MaxInt64-d)
	}
	return d, true
}

func digits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}
