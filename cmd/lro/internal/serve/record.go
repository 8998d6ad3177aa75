package serve

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/lro-go/lro/cmd/lro/internal/transcript"
)

// A recorder writes exchanges as a transcript for [fakes.ReadTranscript], in order of arrival. It
// holds back an ended exchange until all earlier ones have ended too.
type recorder struct {
	out     io.Writer
	start   time.Time         // when the first request arrived
	next    int               // the arrival number of the next exchange to write
	pending map[int]*exchange // ended exchanges that wait for an earlier one, by arrival number
	err     error             // the first error
}

func newRecorder(out io.Writer) *recorder {
	return &recorder{out: out, next: 1, pending: map[int]*exchange{}}
}

// add adds an exchange that has ended, and writes all exchanges that no longer wait for an earlier
// one.
func (r *recorder) add(x *exchange) {
	r.pending[x.arrival] = x
	for x := r.pending[r.next]; x != nil; x = r.pending[r.next] {
		delete(r.pending, r.next)
		r.next++
		r.write(x)
	}
}

// write writes x. As in poller/testdata, the separator before each request shows the time since the
// first request.
func (r *recorder) write(x *exchange) {
	if r.start.IsZero() {
		r.start = x.at
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "### %s\n", x.at.Sub(r.start).Round(time.Second))
	transcript.WriteRequest(&b, x.req.Method, x.base()+x.req.URL.RequestURI(), x.req.Header, x.body)
	b.WriteString("###\n")
	x.writeResponse(&b)

	_, err := r.out.Write(b.Bytes())
	if !transcript.Fits(x.body) || !transcript.Fits(x.response.body.Bytes()) {
		err = errors.Join(err, fmt.Errorf("a body of request %d has a line that starts with ###, which a transcript cannot contain", x.arrival))
	}
	if r.err == nil {
		r.err = err
	}
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
	header := resp.header.Clone()
	if resp.flushed && header.Get("Content-Length") == "" {
		header.Set("Transfer-Encoding", "chunked")
	}

	var text bytes.Buffer
	transcript.WriteResponse(&text, resp.code, header, resp.body.Bytes())
	b.Write(bytes.ReplaceAll(text.Bytes(), []byte(x.base()), []byte("{{base}}")))
}
