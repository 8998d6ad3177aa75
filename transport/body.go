package transport

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/lro-go/lro/internal/redact"
)

// hasBody reports whether req has a body.
func hasBody(req *http.Request) bool { return req.Body != nil && req.Body != http.NoBody }

// closeBody closes the body of a request that is not sent.
func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
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
