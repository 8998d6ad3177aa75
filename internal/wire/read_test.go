package wire_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/wire"
)

func limit(n int64) wire.Limit { return wire.Limit{Name: "Options.MaxStatusBytes", Bytes: n} }

// readAll reads a body of unknown length.
func readAll(r io.Reader, l wire.Limit) ([]byte, error) {
	return wire.ReadBody(&http.Response{ContentLength: -1, Body: io.NopCloser(r)}, l)
}

func TestReadBody(t *testing.T) {
	for _, tt := range []struct {
		body string
		max  int64
		over bool
	}{
		{"", 10, false},
		{"", 0, false},
		{"0123456789", 11, false},
		{"0123456789", 10, false},
		{"0123456789", 9, true},
		{"0", 0, true},
		{"0123456789", math.MaxInt64, false},
		{"0123456789", math.MaxInt64 - 1, false},
		{strings.Repeat("x", 5000), 4999, true},
		{strings.Repeat("x", 5000), 5000, false},
	} {
		for _, size := range []int64{-1, 0, 1, int64(len(tt.body)), 1 << 62} { // ReadBody must not rely on the Content-Length
			resp := &http.Response{ContentLength: size, Body: io.NopCloser(strings.NewReader(tt.body))}
			requireRead(t, tt.body, tt.max, tt.over, func() ([]byte, error) { return wire.ReadBody(resp, limit(tt.max)) })
		}
		for _, r := range []io.Reader{strings.NewReader(tt.body), iotest.OneByteReader(strings.NewReader(tt.body)), iotest.DataErrReader(strings.NewReader(tt.body))} {
			requireRead(t, tt.body, tt.max, tt.over, func() ([]byte, error) { return readAll(r, limit(tt.max)) })
		}
	}
}

func requireRead(t *testing.T, body string, maxBytes int64, over bool, read func() ([]byte, error)) {
	t.Helper()
	b, err := read()
	if !over {
		require.NoError(t, err)
		require.Equal(t, body, string(b))
		return
	}
	limitErr, ok := errors.AsType[*wire.LimitError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, limit(maxBytes), limitErr.Limit)
	require.Equal(t, body[:maxBytes+1], string(b), "ReadBody must return everything that it has read")
}

func TestLimitErrorNamesOption(t *testing.T) {
	_, err := readAll(strings.NewReader("abc"), limit(2))
	require.EqualError(t, err, "body is larger than 2 bytes, the limit of Options.MaxStatusBytes")
}

func TestReadBodyStops(t *testing.T) {
	r := strings.NewReader(strings.Repeat("x", 1000))
	_, err := readAll(r, limit(10))
	require.Error(t, err)
	require.Equal(t, 989, r.Len(), "the rest must not be read")
}

func TestReadBodyReturnsPart(t *testing.T) {
	broken := errors.New("connection reset")
	torn := func() io.Reader { return io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)) }
	b, err := readAll(torn(), limit(100))
	require.Equal(t, "half", string(b))
	require.Equal(t, broken, err)

	b, err = wire.ReadBody(&http.Response{ContentLength: 8, Body: io.NopCloser(torn())}, limit(100))
	require.Equal(t, "half", string(b))
	require.Equal(t, broken, err)
}

func TestReadEmptyBody(t *testing.T) {
	b, err := wire.ReadBody(&http.Response{ContentLength: 7}, limit(1))
	require.NoError(t, err)
	require.Empty(t, b)
	b, err = wire.ReadBody(&http.Response{ContentLength: 7, Body: http.NoBody}, limit(-1000))
	require.Error(t, err)
	require.Empty(t, b)
}

func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// ReadBody reads a body of known length into a single slice. A wrong Content-Length costs at most 3
// MiB.
func TestReadBodyAllocates(t *testing.T) {
	read := func(size int64, body []byte, maxBytes int64) uint64 {
		resp := &http.Response{ContentLength: size, Body: io.NopCloser(bytes.NewReader(body))}
		return allocated(func() {
			b, err := wire.ReadBody(resp, limit(maxBytes))
			require.NoError(t, err)
			require.Len(t, b, len(body))
		})
	}
	body := make([]byte, 500<<10)
	require.Less(t, read(int64(len(body)), body, 4<<20), uint64(3*len(body)), "the race detector doubles the memory; growing a slice would take five times as much")
	require.Less(t, read(1<<40, []byte("{}"), 1<<40), uint64(3<<20))
	require.Less(t, read(1<<40, []byte("{}"), 10), uint64(64<<10))
}

func TestWithoutBOM(t *testing.T) {
	for in, want := range map[string]string{
		"\xef\xbb\xbf{}":             "{}",
		"{}":                         "{}",
		"":                           "",
		"\xef\xbb\xbf":               "",
		"\xef\xbb":                   "\xef\xbb",
		"\xef\xbb\xbf\xef\xbb\xbf{}": "\xef\xbb\xbf{}",
		" \xef\xbb\xbf{}":            " \xef\xbb\xbf{}",
	} {
		require.Equal(t, want, string(wire.WithoutBOM([]byte(in))), "%q", in)
	}
}

func BenchmarkReadBody(b *testing.B) {
	body := make([]byte, 100<<10)
	for name, size := range map[string]int64{"declared": int64(len(body)), "chunked": -1} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = wire.ReadBody(&http.Response{ContentLength: size, Body: io.NopCloser(bytes.NewReader(body))}, limit(4<<20))
			}
		})
	}
}
