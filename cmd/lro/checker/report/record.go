package report

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// WriteRecord writes all exchanges, in the order in which they were sent, as a transcript for
// fakes.ReadTranscript. It leaves out headers with credentials and headers that depend on the client.
// Otherwise, the transcript is complete, so its URLs may be signed: keep it secret. If a body has a
// line that starts with ###, no transcript can contain it, and WriteRecord returns an error after it
// has written the rest.
func WriteRecord(w io.Writer, r *Report) error {
	var all []*trace.Exchange
	for _, op := range slices.Concat(r.Operations, r.Others) {
		all = append(all, op.Exchanges...)
	}
	slices.SortStableFunc(all, func(a, b *trace.Exchange) int { return a.N - b.N })
	all = slices.CompactFunc(all, func(a, b *trace.Exchange) bool { return a.N == b.N }) // a probe that has started an operation is in both

	var b bytes.Buffer
	var refused []int
	for _, x := range all {
		if hasSeparator(x.RequestBody) || hasSeparator(x.Body) {
			refused = append(refused, x.N)
			continue
		}
		fmt.Fprintf(&b, "### %s, %s\n", x.At.Sub(all[0].At).Round(time.Second), x.Role)
		recordRequest(&b, x)
		b.WriteString("###\n")
		recordResponse(&b, x)
	}
	_, err := w.Write(b.Bytes())
	if err == nil && len(refused) > 0 {
		err = fmt.Errorf("requests %d are not in the transcript, because a body has a line that starts with ###", refused)
	}
	return err
}

func hasSeparator(body []byte) bool {
	return bytes.HasPrefix(body, []byte("###")) || bytes.Contains(body, []byte("\n###"))
}

// recordedRequestHeaders are the headers of a request that decide how a service responds.
var recordedRequestHeaders = []string{"Content-Type", "If-Match", "If-None-Match"}

func recordRequest(b *bytes.Buffer, x *trace.Exchange) {
	fmt.Fprintf(b, "%s %s HTTP/1.1\n", x.Method, x.URL)
	for _, name := range recordedRequestHeaders {
		recordHeader(b, name, x.RequestHeader[name])
	}
	recordBody(b, x.RequestBody)
}

func recordResponse(b *bytes.Buffer, x *trace.Exchange) {
	isComplete := x.StatusCode != 0 && x.Err == nil
	if !isComplete {
		b.WriteString("# drop\n")
	}
	if x.StatusCode == 0 {
		return
	}
	fmt.Fprintf(b, "HTTP/1.1 %d %s\n", x.StatusCode, http.StatusText(x.StatusCode))
	for _, name := range slices.Sorted(maps.Keys(x.Header)) {
		isRepeated := name == "Content-Length" && x.Header.Get(name) == strconv.Itoa(len(x.Body)) // ReadTranscript adds it
		if isRepeated || isSecret(name) {
			continue
		}
		recordHeader(b, name, x.Header[name])
	}
	recordBody(b, x.Body)
}

func recordHeader(b *bytes.Buffer, name string, values []string) {
	for _, value := range values {
		fmt.Fprintf(b, "%s: %s\n", name, value)
	}
}

// recordBody writes the empty line that ends the headers, and then a body with a line ending, which
// ReadTranscript ignores.
func recordBody(b *bytes.Buffer, body []byte) {
	b.WriteByte('\n')
	if len(body) > 0 {
		b.Write(body)
		b.WriteByte('\n')
	}
}
