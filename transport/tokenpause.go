package transport

import (
	"fmt"
	"time"

	"github.com/lro-go/lro/internal/redact"
)

// After a failed call to Token, the Transport pauses before the next call for the same origin and
// claims. The pause doubles with each further failure.
const (
	firstTokenPause   = time.Second
	longestTokenPause = time.Minute
)

// A tokenFailure records a failed call to Token.
type tokenFailure struct {
	err   error
	pause time.Duration // how long to wait before the next call
	until time.Time     // when the pause ends
}

// tokenFailures holds a tokenFailure for each TokenRequest whose last call to Token failed.
type tokenFailures map[TokenRequest]tokenFailure

// during returns an error if the pause after a failed call for r has not ended, and nil otherwise.
// The error wraps the one from that call.
func (fs tokenFailures) during(r TokenRequest) error {
	f, found := fs[r]
	if !found {
		return nil
	}
	left := time.Until(f.until)
	if left <= 0 {
		return nil
	}
	return fmt.Errorf("no call for another %s, because the last one failed: %w", left.Round(time.Millisecond), f.err)
}

// add records a call for r that has just failed, and starts the pause after it.
func (fs tokenFailures) add(r TokenRequest, err error) {
	fs.prune()
	pause := firstTokenPause
	if last, found := fs[r]; found {
		pause = min(2*last.pause, longestTokenPause)
	}
	fs[r] = tokenFailure{err: redact.UnwrapURL(err), pause: pause, until: time.Now().Add(pause)}
}

// prune removes failures whose pauses ended long ago. The map could otherwise grow without limit,
// because a service may demand different claims each time.
func (fs tokenFailures) prune() {
	for r, f := range fs {
		if time.Since(f.until) > longestTokenPause {
			delete(fs, r)
		}
	}
}
