package report

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/lro-go/lro/cmd/lro/checker/trace"
	"github.com/lro-go/lro/cmd/lro/internal/transcript"
)

// WriteRecord writes all exchanges, in the order in which they were sent, as a transcript for
// fakes.ReadTranscript. It leaves out request headers that contain credentials or depend on the
// client, and Set-Cookie headers. It redacts nothing: a URL may be signed, and bodies and other
// response headers may contain credentials, so keep the transcript secret.
//
// A transcript cannot contain a body with a line that starts with ###. WriteRecord skips exchanges
// with such a body, writes the others, and then returns an error.
func WriteRecord(w io.Writer, r *Report) error {
	var all []*trace.Exchange
	for _, op := range slices.Concat(r.Operations, r.Others) {
		all = append(all, op.Exchanges...)
	}
	slices.SortStableFunc(all, func(a, b *trace.Exchange) int { return a.N - b.N })
	all = slices.CompactFunc(all, func(a, b *trace.Exchange) bool { return a.N == b.N }) // an accepted probe belongs to two operations

	var b bytes.Buffer
	var refused []int
	for _, x := range all {
		if !transcript.Fits(x.RequestBody) || !transcript.Fits(x.Body) {
			refused = append(refused, x.N)
			continue
		}
		fmt.Fprintf(&b, "### %s, %s\n", x.At.Sub(all[0].At).Round(time.Second), x.Role)
		transcript.WriteRequest(&b, x.Method, x.URL, x.RequestHeader, x.RequestBody)
		b.WriteString("###\n")
		recordResponse(&b, x)
	}
	_, err := w.Write(b.Bytes())
	if err == nil && len(refused) > 0 {
		err = fmt.Errorf("requests %d are not in the transcript, because a body has a line that starts with ###", refused)
	}
	return err
}

func recordResponse(b *bytes.Buffer, x *trace.Exchange) {
	isComplete := x.StatusCode != 0 && x.Err == nil
	if !isComplete {
		b.WriteString("# drop\n")
	}
	if x.StatusCode == 0 {
		return
	}
	header := x.Header.Clone()
	maps.DeleteFunc(header, func(name string, _ []string) bool { return isSecret(name) })
	transcript.WriteResponse(b, x.StatusCode, header, x.Body)
}
