package wire

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/jsonread"
)

// A Limit bounds the size and the duration of a response. Name is the option that sets Bytes.
type Limit struct {
	Name  string
	Bytes int64         // maximum size of the body
	Time  time.Duration // 0 means [ResponseTimeout]; a negative value means no limit
}

// LimitError reports that a body is larger than its limit.
type LimitError struct{ Limit Limit }

// Error names the option that sets the limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("body is larger than %d bytes, the limit of %s", e.Limit.Bytes, e.Limit.Name)
}

// ResponseTimeout bounds one exchange, including the body, if Limit.Time is 0. A dead or
// trickling connection must not hold up a wait of several days.
const ResponseTimeout = 5 * time.Minute

// timeout returns the time limit for one exchange, or 0 if there is no limit.
func (l Limit) timeout() time.Duration { return max(cmp.Or(l.Time, ResponseTimeout), 0) }

// start returns a context that ends when the time for one exchange is over.
func (l Limit) start(ctx context.Context) *exchange.Timed {
	d := l.timeout()
	if d == 0 {
		return exchange.Start(ctx, time.Time{})
	}
	t := exchange.Start(ctx, time.Now().Add(d))
	t.Limit(d, exchange.ResponseTimeout(d))
	return t
}

// ReadBody reads the body of resp, subject to limit. If it fails, it also returns what it has read.
// If the body is too large, it returns one byte more than the limit. If the body takes too long,
// ReadBody closes it. A body that may be incomplete causes an error.
func ReadBody(resp *http.Response, limit Limit) ([]byte, error) {
	if resp.Body == nil {
		return nil, nil
	}
	t := limit.start(context.Background())
	defer t.Stop()
	body, err := readAll(t.Body(resp.Body, limit.timeout()), resp.ContentLength, limit, nil)
	return body, cmp.Or(err, incomplete(resp, body))
}

var (
	errPart = errors.New("a 206 holds only a part of the body")
	errCut  = fmt.Errorf("%w: the body is empty and ends when the connection closes", io.ErrUnexpectedEOF)
)

// incomplete returns an error if resp may contain less than the service sent. It returns nil if
// resp is complete or if nothing that matters can be missing. A 206 contains only part of the
// content (RFC 9110, section 15.3.7). An HTTP/1 response without a length ends when the connection
// closes (RFC 9112, section 6.3), so if its body is empty, it may have been truncated after its
// headers.
func incomplete(resp *http.Response, body []byte) error {
	switch resp.StatusCode {
	case http.StatusPartialContent:
		return errPart
	case http.StatusAccepted, http.StatusNoContent, http.StatusNotFound, http.StatusGone: // the status code is enough, so a missing body does not matter
		return nil
	}
	if resp.Close && resp.ContentLength < 0 && len(resp.TransferEncoding) == 0 && resp.ProtoMajor < 2 && jsonread.IsEmpty(WithoutBOM(body)) {
		return errCut
	}
	return nil
}

// A server can claim any Content-Length, so readSized does not trust it. It first allocates at
// most maxAhead bytes, and later at most aheadFactor times as many bytes as have arrived.
const (
	maxAhead    = 1 << 20
	aheadFactor = 16
)

// readAll reads r into buf, or into new memory if buf is nil. size is the Content-Length, or -1.
func readAll(r io.Reader, size int64, limit Limit, buf *bytes.Buffer) ([]byte, error) {
	most := min(limit.Bytes, math.MaxInt64-1) + 1 // one more byte shows that r exceeds the limit
	var b []byte
	var err error
	switch {
	case buf != nil:
		buf.Reset()
		buf.Grow(int(max(min(size, limit.Bytes, maxAhead), 0)) + bytes.MinRead) // ReadFrom needs more room to detect the end
		_, err = buf.ReadFrom(io.LimitReader(r, most))
		b = buf.Bytes()
	case size >= 0:
		b, err = readSized(r, size, most)
	default:
		b, err = io.ReadAll(io.LimitReader(r, most))
	}
	if err == nil && int64(len(b)) > limit.Bytes {
		err = &LimitError{limit}
	}
	return b, err
}

// readSized reads up to most bytes of r. size is the Content-Length.
func readSized(r io.Reader, size, most int64) ([]byte, error) {
	room := min(size, most-1) + 1 // one more byte, to detect the end
	b := make([]byte, 0, max(min(room, maxAhead), 0))
	for int64(len(b)) < most {
		if len(b) == cap(b) {
			b = slices.Grow(b, int(max(min(room-int64(len(b)), aheadFactor*int64(len(b))), bytes.MinRead)))
		}
		n, err := r.Read(b[len(b):min(int64(cap(b)), most)])
		b = b[:len(b)+n]
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return b, err
		}
	}
	return b, nil
}

// utf8BOM is the byte order mark that some services send before their JSON (quirk W42). RFC 8259,
// section 8.1, forbids sending it, but lets a parser ignore it.
var utf8BOM = []byte("\xef\xbb\xbf")

// WithoutBOM returns b without a byte order mark.
func WithoutBOM(b []byte) []byte { return bytes.TrimPrefix(b, utf8BOM) }
