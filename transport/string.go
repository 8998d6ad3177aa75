package transport

import (
	"fmt"

	"github.com/lro-go/lro/internal/redact"
)

// String describes the options without the contents of the caller's own types, because Base
// may be a struct that holds a credential.
func (o Options) String() string {
	return fmt.Sprintf("{Base:%T Retries:%d MinDelay:%s MaxDelay:%s MaxRetryAfter:%s HeaderTimeout:%s UserAgent:%q Token:%t Authorize:%t Origins:%v FollowWrites:%t NoThrottleGate:%t}",
		o.Base, o.Retries, o.MinDelay, o.MaxDelay, o.MaxRetryAfter, o.HeaderTimeout, redact.Text(o.UserAgent), o.Token != nil, o.Authorize != nil,
		redact.RawURLs(o.Origins), o.FollowWrites, o.NoThrottleGate)
}

// String describes the Transport by its options.
func (t *Transport) String() string { return "transport " + t.opts.String() }

// GoString quotes the text of String, because %#v would otherwise print o.Base, which may hold a
// credential.
func (o Options) GoString() string { return fmt.Sprintf("transport.Options(%q)", o.String()) }

// String describes the token without its value.
func (t Token) String() string { return fmt.Sprintf("token of %d bytes", len(t.Value)) }

// GoString quotes the text of String, because %#v would otherwise print the value.
func (t Token) GoString() string { return fmt.Sprintf("transport.Token(%q)", t.String()) }

// String describes the request without its claims.
func (r TokenRequest) String() string {
	return fmt.Sprintf("token for %s (claims: %t)", redact.RawURL(r.Origin), r.Claims != "")
}
