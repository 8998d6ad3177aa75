package transport

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
)

// A payload is the body of a request, to be sent as often as needed.
type payload struct {
	first io.ReadCloser                 // the caller's own, until it is handed out
	again func() (io.ReadCloser, error) // makes a new one; nil: there is nothing to send
}

// newPayload takes over the body of req: it is closed by whoever gets it from
// next, or by close. A body that cannot be made anew through GetBody is read
// into memory, unless it is sent once.
func newPayload(req *http.Request, once bool) (*payload, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return &payload{}, nil
	}
	if req.GetBody != nil || once {
		return &payload{first: req.Body, again: req.GetBody}, nil
	}
	content, err := readAll(req.Context(), req.Body)
	if err != nil {
		return nil, fmt.Errorf("reading the request body: %w", err)
	}
	if req.ContentLength > 0 && req.ContentLength != int64(len(content)) {
		return nil, fmt.Errorf("the request body has %d bytes, its ContentLength is %d", len(content), req.ContentLength)
	}
	return &payload{again: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }}, nil
}

// readAll reads and closes a caller's body. It is closed early when ctx ends,
// which sets a Read free that waits for a pipe.
func readAll(ctx context.Context, body io.ReadCloser) ([]byte, error) {
	stop := context.AfterFunc(ctx, func() { body.Close() })
	content, err := io.ReadAll(body)
	if stop() {
		body.Close()
	}
	if ctx.Err() != nil {
		return nil, ended(ctx, err)
	}
	return content, err
}

// attach gives req the next copy of the body. ContentLength stays what the
// caller set: a body of known length is never sent chunked.
func (p *payload) attach(req *http.Request) (err error) {
	if p.first != nil {
		req.Body, p.first = p.first, nil
		return nil
	}
	if p.again == nil {
		return nil
	}
	if req.Body, err = p.again(); err != nil {
		return fmt.Errorf("rewinding the request body: %w", err)
	}
	if req.Body != nil && req.Body != http.NoBody {
		req.GetBody = p.again
	}
	return nil
}

// close closes the caller's body if no attempt was made.
func (p *payload) close() {
	if p.first != nil {
		p.first.Close()
	}
}
