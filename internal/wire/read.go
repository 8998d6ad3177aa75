package wire

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"net/http"
)

// A Limit bounds a body. Its name tells the user which option to raise.
type Limit struct {
	Name  string
	Bytes int64
}

// A LimitError says that a body goes on beyond its limit.
type LimitError struct{ Limit Limit }

func (e *LimitError) Error() string {
	return fmt.Sprintf("body is larger than %d bytes, the limit of %s", e.Limit.Bytes, e.Limit.Name)
}

// ReadBody reads all of the body of resp, at most limit, in one piece where the
// response tells its length, and into the memory of buf unless that is nil. With
// an error it returns all it took: beyond a limit, that is one byte more.
func ReadBody(resp *http.Response, limit Limit, buf *bytes.Buffer) ([]byte, error) {
	if resp.Body == nil {
		return nil, nil
	}
	return readAll(resp.Body, resp.ContentLength, limit, buf)
}

// maxAhead bounds what is allocated on the word of a server alone.
const maxAhead = 1 << 20

// readAll reads what is said to be size bytes, into the memory of buf if there is
// one.
func readAll(r io.Reader, size int64, limit Limit, buf *bytes.Buffer) ([]byte, error) {
	bounded := io.LimitReader(r, min(limit.Bytes, math.MaxInt64-1)+1)
	if buf == nil && size > 0 {
		buf = new(bytes.Buffer)
	}
	var b []byte
	var err error
	if buf != nil {
		buf.Reset()
		buf.Grow(int(max(min(size, limit.Bytes, maxAhead), 0)) + bytes.MinRead) // with room to see the end
		_, err = buf.ReadFrom(bounded)
		b = buf.Bytes()
	} else {
		b, err = io.ReadAll(bounded)
	}
	if err == nil && int64(len(b)) > limit.Bytes {
		err = &LimitError{limit}
	}
	return b, err
}

// utf8BOM precedes the JSON of some services (quirk W42), against RFC 8259,
// section 8.1, which lets a parser ignore it.
var utf8BOM = []byte("\xef\xbb\xbf")

// WithoutBOM returns b without a byte order mark.
func WithoutBOM(b []byte) []byte { return bytes.TrimPrefix(b, utf8BOM) }

// IsEmpty reports whether a body holds nothing but white space.
func IsEmpty(b []byte) bool { return len(bytes.TrimSpace(b)) == 0 }
