package serve

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// A recorder writes exchanges as a transcript for [fakes.ReadTranscript]. It writes them in the
// order in which the requests arrived, and holds each exchange back until all earlier ones have
// ended.
type recorder struct {
	out   io.Writer
	start time.Time         // the time of the first request
	next  int               // the arrival of the next exchange to write
	held  map[int]*exchange // exchanges that have ended but cannot be written yet, by arrival
	err   error             // the first error that occurred
}

func newRecorder(out io.Writer) *recorder {
	return &recorder{out: out, next: 1, held: map[int]*exchange{}}
}

// add writes x, or holds it back until it can be written.
func (r *recorder) add(x *exchange) {
	r.held[x.arrival] = x
	for x := r.held[r.next]; x != nil; x = r.held[r.next] {
		delete(r.held, r.next)
		r.next++
		r.write(x)
	}
}

// write writes x. As in the transcripts in poller/testdata, the separator before each request shows
// the time since the first request.
func (r *recorder) write(x *exchange) {
	if r.start.IsZero() {
		r.start = x.at
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "### %s\n", x.at.Sub(r.start).Round(time.Second))
	x.writeRequest(&b)
	b.WriteString("###\n")
	x.writeResponse(&b)

	_, err := r.out.Write(b.Bytes())
	for _, body := range [][]byte{x.body, x.response.body.Bytes()} {
		if bytes.HasPrefix(body, []byte("###")) || bytes.Contains(body, []byte("\n###")) {
			err = errors.Join(err, fmt.Errorf("a body of request %d has a line that starts with ###, which no transcript can have", x.arrival))
		}
	}
	if r.err == nil {
		r.err = err
	}
}

// writeRequest omits headers that depend on the client, such as User-Agent, and headers with
// secrets.
func (x *exchange) writeRequest(b *bytes.Buffer) {
	fmt.Fprintf(b, "%s %s%s HTTP/1.1\n", x.req.Method, x.base(), x.req.URL.RequestURI())
	for _, name := range []string{"Content-Type", "If-Match", "If-None-Match"} {
		writeHeader(b, name, x.req.Header[name])
	}
	writeBody(b, x.body)
}

func (x *exchange) writeResponse(b *bytes.Buffer) {
	if x.waits {
		fmt.Fprintf(b, "# wait %s\n", x.took.Round(100*time.Millisecond))
	}
	if x.dropped {
		b.WriteString("# drop\n")
	}
	resp := x.response
	if x.dropped && resp.code == 0 {
		return
	}
	body := resp.body.Bytes()
	header := resp.recordedHeader()

	var text bytes.Buffer
	fmt.Fprintf(&text, "HTTP/1.1 %d %s\n", resp.code, http.StatusText(resp.code))
	for _, name := range slices.Sorted(maps.Keys(header)) {
		writeHeader(&text, name, header[name])
	}
	writeBody(&text, body)
	b.Write(bytes.ReplaceAll(text.Bytes(), []byte(x.base()), []byte("{{base}}")))
}

// recordedHeader returns the headers of the response, as a transcript states them.
func (t *tap) recordedHeader() http.Header {
	header := t.header.Clone()
	length := header.Get("Content-Length")
	if length == strconv.Itoa(t.body.Len()) {
		header.Del("Content-Length") // ReadTranscript adds this header
		return header
	}
	if length == "" && t.flushed {
		header.Set("Transfer-Encoding", "chunked")
	}
	return header
}

func writeHeader(b *bytes.Buffer, name string, values []string) {
	for _, value := range values {
		fmt.Fprintf(b, "%s: %s\n", name, value)
	}
}

// writeBody writes the empty line that ends the headers, and then body with a
// line ending, which ReadTranscript ignores.
func writeBody(b *bytes.Buffer, body []byte) {
	b.WriteString("\n")
	if len(body) > 0 {
		b.Write(body)
		b.WriteString("\n")
	}
}
