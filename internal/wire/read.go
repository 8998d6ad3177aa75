package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"time"
)

// A Limit bounds an answer. Its name tells the user which option to raise.
type Limit struct {
	Name  string
	Bytes int64         // of the body
	Time  time.Duration // see AnswerTime; 0: that, negative: no bound
}

// A LimitError says that a body goes on beyond its limit.
type LimitError struct{ Limit Limit }

// Error names the option.
func (e *LimitError) Error() string {
	return fmt.Sprintf("body is larger than %d bytes, the limit of %s", e.Limit.Bytes, e.Limit.Name)
}

// ReadBody reads all of the body of resp, at most limit, in one piece where the
// response tells its length. With an error it returns all it took: beyond a limit,
// that is one byte more. A body that does not come in time is closed.
func ReadBody(resp *http.Response, limit Limit) ([]byte, error) {
	if resp.Body == nil {
		return nil, nil
	}
	w := newWatch(context.Background(), limit.Time)
	defer w.stop()
	body, err := w.readBody(resp, limit, nil)
	if late := w.expired(); err != nil && late != nil {
		err = late
	}
	return body, err
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
		b, err = readUnsized(r, most)
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

// readUnsized reads what does not tell its size, at most most. It reads pieces, and
// puts them together at the end: memory that grows is copied again and again, and
// lives beside what it grew from.
func readUnsized(r io.Reader, most int64) ([]byte, error) {
	var pieces [][]byte
	var size int64
	piece := make([]byte, 0, bytes.MinRead)
	for size < most {
		if len(piece) == cap(piece) {
			pieces = append(pieces, piece)
			piece = make([]byte, 0, pieceAfter(size))
		}
		n, err := r.Read(piece[len(piece):min(int64(cap(piece)), int64(len(piece))+most-size)])
		piece, size = piece[:len(piece)+n], size+int64(n)
		if err != nil {
			return joined(pieces, piece, size), unlessEOF(err)
		}
	}
	return joined(pieces, piece, size), nil
}

// pieceAfter doubles what there is as long as that is little, and then adds an
// eighth.
func pieceAfter(size int64) int64 {
	const little = 64 << 10
	if size <= little {
		return size
	}
	return max(size/8, little)
}

func joined(pieces [][]byte, last []byte, size int64) []byte {
	if len(pieces) == 0 {
		return last
	}
	b := make([]byte, 0, size)
	for _, piece := range append(pieces, last) {
		b = append(b, piece...)
	}
	return b
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
