package poller_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/lro-go/lro/poller"
)

const (
	armGroup    = "https://management.azure.com/subscriptions/00000000-0000-0000-0000-000000000000"
	armResource = armGroup + "/resourceGroups/bench/providers/Microsoft.Contoso/widgets/widget-000001?api-version=2026-01-01"
	armMonitor  = armGroup + "/providers/Microsoft.Contoso/locations/westeurope/operationStatuses/11111111-2222-3333-4444-555555000001?api-version=2026-01-01"
	armDocument = `{"id":"/subscriptions/0/providers/Microsoft.Contoso/locations/westeurope/operationStatuses/11111111-2222-3333-4444-555555000001","name":"11111111-2222-3333-4444-555555000001","status":"InProgress","startTime":"2026-01-01T00:00:00Z","percentComplete":42}`
	armWidget   = `{"id":"/subscriptions/0/resourceGroups/bench/providers/Microsoft.Contoso/widgets/widget-000001","name":"widget-000001","location":"westeurope","tags":{"a":"b"},"properties":{"provisioningState":"Creating","size":7}}`
)

// A repeater answers every request with the same response.
type repeater struct {
	code   int
	header http.Header
	body   string
}

func (r repeater) Do(req *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: r.code, Header: r.header, Body: io.NopCloser(strings.NewReader(r.body)), ContentLength: int64(len(r.body)), Request: req}, nil
}

// A protocol describes one way to follow an operation, with the responses of a service whose
// operation never ends.
type protocol struct {
	name, verb string
	first      repeater // the response to the first request
	poll       repeater // the response to each poll: the operation is in progress
}

func protocols() []protocol {
	answer := func(name, value string) http.Header {
		h := http.Header{"Content-Type": {"application/json"}, "Retry-After": {"15"}, "X-Ms-Request-Id": {"11111111-2222-3333-4444-666666666666"}}
		if name != "" {
			h.Set(name, value)
		}
		return h
	}
	return []protocol{
		{"async", "PUT", repeater{201, answer("Azure-AsyncOperation", armMonitor), armWidget}, repeater{200, answer("", ""), armDocument}},
		{"location", "POST", repeater{202, answer("Location", armMonitor), ""}, repeater{202, answer("Location", armMonitor), ""}},
		{"resource", "PUT", repeater{201, answer("", ""), armWidget}, repeater{200, answer("", ""), armWidget}},
	}
}

// firstResponse returns the response to the request that starts an operation on an ARM resource.
func (w protocol) firstResponse(tb testing.TB) *http.Response {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), w.verb, armResource, http.NoBody)
	if err != nil {
		tb.Fatal(err)
	}
	resp, _ := w.first.Do(req)
	return resp
}

func (w protocol) poller(tb testing.TB) *poller.Poller[struct{}] {
	tb.Helper()
	resp := w.firstResponse(tb)
	defer resp.Body.Close()
	p, err := poller.New[struct{}](resp, w.poll, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func BenchmarkPoll(b *testing.B) {
	for _, w := range protocols() {
		b.Run(w.name, func(b *testing.B) {
			p := w.poller(b)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Poll(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for _, w := range protocols() {
		b.Run(w.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w.poller(b)
			}
		})
	}
}

func BenchmarkResume(b *testing.B) {
	opts := &poller.Options{Origins: []string{"https://management.azure.com"}}
	for _, w := range protocols() {
		b.Run(w.name, func(b *testing.B) {
			token, err := w.poller(b).ResumeToken()
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := poller.Resume[struct{}](token, w.poll, opts); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
