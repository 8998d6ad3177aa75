package transport

import (
	"fmt"
	"log/slog"
	"net/url"
)

// A Base of the caller's may be a struct that holds a credential, and fmt would print
// all of it.

// String describes options without what the caller's own types hold.
func (o Options) String() string {
	return fmt.Sprintf("{Base:%T Retries:%d MinDelay:%s MaxDelay:%s MaxRetryAfter:%s HeaderTimeout:%s Token:%t Authorize:%t Origins:%v NoThrottleGate:%t}",
		o.Base, o.Retries, o.MinDelay, o.MaxDelay, o.MaxRetryAfter, o.HeaderTimeout, o.Token != nil, o.Authorize != nil,
		redactedAll(o.Origins), o.NoThrottleGate)
}

// String describes the Transport by its options.
func (t *Transport) String() string { return "transport " + t.opts.String() }

// GoString returns what String does.
func (o Options) GoString() string { return fmt.Sprintf("transport.Options(%q)", o.String()) }

// GoString returns what String does.
func (t *Transport) GoString() string { return fmt.Sprintf("transport.Transport(%q)", t.String()) }

// LogValue returns what String does.
func (o Options) LogValue() slog.Value { return slog.StringValue(o.String()) }

// LogValue returns what String does.
func (t *Transport) LogValue() slog.Value { return slog.StringValue(t.String()) }

func redactedAll(origins []string) []string {
	list := make([]string, len(origins))
	for i, s := range origins {
		u, err := url.Parse(s)
		if err != nil {
			list[i] = "(unparsable URL)"
			continue
		}
		list[i] = redacted(u)
	}
	return list
}
