package transport

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/lro-go/lro/internal/redact"
)

// setBody makes it possible to send the request body more than once. It uses the caller's
// GetBody or, without one, reads the body into memory. A body that is sent only once remains a
// stream.
func (x *call) setBody() error {
	req, sentOnce := x.req, x.t.opts.Retries == 0 && x.t.tokens == nil
	if req.Body == nil || req.Body == http.NoBody || req.GetBody != nil || sentOnce {
		return nil
	}
	content, err := readAll(x.Context, req.Body)
	if err != nil {
		return fmt.Errorf("reading the request body: %w", err)
	}
	if req.ContentLength > 0 && req.ContentLength != int64(len(content)) {
		return fmt.Errorf("the request body has %d bytes, but ContentLength is %d", len(content), req.ContentLength)
	}
	x.loop.ContentLength = int64(len(content))
	x.loop.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
	x.loop.Body, _ = x.loop.GetBody()
	return nil
}

// readAll reads and closes a caller's body. If ctx ends, readAll closes the body at once, to
// interrupt a Read that blocks, for example on a pipe.
func readAll(ctx context.Context, body io.ReadCloser) ([]byte, error) {
	stop := context.AfterFunc(ctx, func() { body.Close() })
	var content bytes.Buffer
	_, err := content.ReadFrom(body)
	if stop() {
		body.Close()
	}
	if ctx.Err() != nil {
		return nil, redact.RequestError(ctx, err)
	}
	return content.Bytes(), err
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}
