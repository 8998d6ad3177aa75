package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/lro-go/lro/internal/redact"
)

func hasBody(req *http.Request) bool { return req.Body != nil && req.Body != http.NoBody }

// errTrailerOnly rejects a request that has trailers but no body. net/http would drop the trailers,
// or never finish sending the request.
var errTrailerOnly = errors.New("a request with trailers needs a body")

// trailerOf returns the trailer to send with req. The map is the caller's own, because the body may
// set values while it is being sent. net/http does not copy the trailer to a redirected request, so
// trailerOf takes it from the request that was redirected.
func trailerOf(req *http.Request) http.Header {
	from := cameFrom(req)
	if from != nil && hasBody(req) && len(req.Trailer) == 0 {
		return from.Trailer
	}
	return req.Trailer
}

// closeBody closes the body of a request that is not sent.
func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}

// readAll reads and closes a caller's body. If ctx ends, readAll closes the body right away, to
// interrupt a blocked Read, for example on a pipe.
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
