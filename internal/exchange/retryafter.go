package exchange

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RetryAfter implements transport.RetryAfter.
func RetryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	for _, name := range [...]string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		if d, ok := parseDelay(strings.TrimSpace(FirstValue(h, name)), time.Millisecond); ok {
			return d, true
		}
	}
	value := strings.TrimSpace(FirstValue(h, "Retry-After"))
	if value == "" {
		return 0, false
	}
	if d, ok := parseDelay(value, time.Second); ok {
		return d, true
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	if sent, err := http.ParseTime(FirstValue(h, "Date")); err == nil {
		now = sent // Date comes from the same clock as Retry-After
	}
	return max(date.Sub(now), 0), true // Sub cannot overflow
}

// parseDelay parses s as a decimal number of units.
func parseDelay(s string, unit time.Duration) (time.Duration, bool) {
	whole, fraction, dotted := strings.Cut(s, ".")
	if !digits(whole) || dotted && !digits(fraction) {
		return 0, false
	}
	n, err := strconv.ParseUint(whole, 10, 64)
	if err != nil || n > uint64(math.MaxInt64/unit) { // whole contains only digits, so any err means that it is out of range
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
