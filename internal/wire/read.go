package wire

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
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

// maxAhead bounds what is allocated on the word of a server alone. Once that has
// come, the word is good for aheadFactor times what came.
const (
	maxAhead    = 1 << 20
	aheadFactor = 16
)

// readAll reads what is said to be size bytes, into the memory of buf if there is
// one.
func readAll(r io.Reader, size int64, limit Limit, buf *bytes.Buffer) ([]byte, error) {
	most := min(limit.Bytes, math.MaxInt64-1) + 1 // a byte beyond the limit tells that there are more
	var b []byte
	var err error
	switch {
	case buf != nil:
		buf.Reset()
		buf.Grow(int(max(min(size, limit.Bytes, maxAhead), 0)) + bytes.MinRead) // with room to see the end
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

// readSized reads what is said to be size bytes, at most most, in one piece as far
// as the server is believed.
func readSized(r io.Reader, size, most int64) ([]byte, error) {
	room := min(size, most-1) + 1 // to see the end
	b := make([]byte, 0, max(min(room, maxAhead), 0))
	for int64(len(b)) < most {
		if len(b) == cap(b) {
			b = slices.Grow(b, int(max(min(room-int64(len(b)), aheadFactor*int64(len(b))), bytes.MinRead)))
		}
		n, err := r.Read(b[len(b):min(int64(cap(b)), most)])
		b = b[:len(b)+n]
		if err != nil {
			return b, unlessEOF(err)
		}
	}
	return b, nil
}

func unlessEOF(err error) error {
	if err == io.EOF { //nolint:errorlint // as io.Reader has it
		return nil
	}
	return err
}

// utf8BOM precedes the JSON of some services (quirk W42), against RFC 8259,
// section 8.1, which lets a parser ignore it.
var utf8BOM = []byte("\xef\xbb\xbf")

// WithoutBOM returns b without a byte order mark.
func WithoutBOM(b []byte) []byte { return bytes.TrimPrefix(b, utf8BOM) }

// IsEmpty reports whether a body holds nothing but white space.
func IsEmpty(b []byte) bool { return len(bytes.TrimSpace(b)) == 0 }
