package transport

import (
	"fmt"

	"github.com/lro-go/lro/internal/redact"
)

// String describes the options without the contents of the caller's own types: Base may
// be a struct that holds a credential.
func (o Options) String() string {
	return fmt.Sprintf("{Base:%T Retries:%d MinDelay:%s MaxDelay:%s MaxRetryAfter:%s HeaderTimeout:%s Token:%t Authorize:%t Origins:%v NoThrottleGate:%t}",
		o.Base, o.Retries, o.MinDelay, o.MaxDelay, o.MaxRetryAfter, o.HeaderTimeout, o.Token != nil, o.Authorize != nil,
		redact.RawURLs(o.Origins), o.NoThrottleGate)
}

// String describes the Transport by its options.
func (t *Transport) String() string { return "transport " + t.opts.String() }

// GoString keeps the fields of o.Base, which may hold a credential, out of %#v.
func (o Options) GoString() string { return fmt.Sprintf("transport.Options(%q)", o.String()) }
