package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/pager"
)

const (
	pages   = 1000
	perPage = 100
	first   = "https://a.test/widgets?api-version=1"
)

// A widget is an item as ARM has them.
type widget struct {
	ID         string            `json:"id"`
	Name       string            `json:"name"`
	Type       string            `json:"type"`
	Location   string            `json:"location"`
	Tags       map[string]string `json:"tags"`
	Properties struct {
		ProvisioningState string    `json:"provisioningState"`
		Size              int       `json:"size"`
		Created           time.Time `json:"created"`
	} `json:"properties"`
}

// A list is what a page of them is for those who decode it themselves.
type list struct {
	Value    []widget `json:"value"`
	NextLink string   `json:"nextLink"`
}

// A service answers in memory. It is the same for all, and knows its pages by
// heart: what is measured is the client.
type service struct {
	bodies map[string][]byte // by URL
	sized  bool              // answers tell their length, as those that are not compressed do
}

func newService(tb testing.TB, sized bool) *service {
	tb.Helper()
	s := &service{bodies: map[string][]byte{}, sized: sized}
	for p := range pages {
		var l list
		for i := range perPage {
			n := p*perPage + i
			var w widget
			w.Name = fmt.Sprintf("widget-%06d", n)
			w.ID = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/bench/providers/Microsoft.Contoso/widgets/" + w.Name
			w.Type, w.Location = "Microsoft.Contoso/widgets", "westeurope"
			w.Tags = map[string]string{"env": "test", "owner": "bench"}
			w.Properties.ProvisioningState, w.Properties.Size = "Succeeded", n
			w.Properties.Created = time.Unix(int64(n), 0).UTC()
			l.Value = append(l.Value, w)
		}
		if p+1 < pages {
			l.NextLink = link(p + 1)
		}
		body, err := json.Marshal(l)
		if err != nil {
			tb.Fatal(err)
		}
		s.bodies[link(p)] = body
	}
	return s
}

// link has nothing in it that azcore, which encodes queries anew, would change.
func link(page int) string {
	if page == 0 {
		return first
	}
	return fmt.Sprintf("%s&skiptoken=%d", first, page)
}

func (s *service) RoundTrip(req *http.Request) (*http.Response, error) {
	body, ok := s.bodies[req.URL.String()]
	if !ok {
		return nil, fmt.Errorf("there is no page %s", req.URL)
	}
	resp := &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body)),
		ContentLength: -1, Request: req,
	}
	if s.sized {
		resp.ContentLength = int64(len(body))
	}
	return resp, nil
}

// A reader reads the whole listing and tells how many items it has.
type reader func(ctx context.Context, client *http.Client) (items int, err error)

// bare is the loop that one writes by hand.
func bare(ctx context.Context, client *http.Client) (items int, err error) {
	for url := first; url != ""; {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return items, err
		}
		resp, err := client.Do(req)
		if err != nil {
			return items, err
		}
		var l list
		err = json.NewDecoder(resp.Body).Decode(&l)
		resp.Body.Close()
		if err != nil {
			return items, err
		}
		items += len(l.Value)
		url = l.NextLink
	}
	return items, nil
}

// bareUnmarshal is the same loop by json.Unmarshal.
func bareUnmarshal(ctx context.Context, client *http.Client) (items int, err error) {
	for url := first; url != ""; {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return items, err
		}
		resp, err := client.Do(req)
		if err != nil {
			return items, err
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return items, err
		}
		var l list
		if err := json.Unmarshal(body, &l); err != nil {
			return items, err
		}
		items += len(l.Value)
		url = l.NextLink
	}
	return items, nil
}

func ours(ctx context.Context, client *http.Client) (items int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, first, http.NoBody)
	if err != nil {
		return 0, err
	}
	for page, err := range pager.New[widget](req, client, nil).Pages(ctx) {
		if err != nil {
			return items, err
		}
		items += len(page.Items)
	}
	return items, nil
}

// az is azcore's pager over its own pipeline without retries, as a generated
// client has it.
func az(ctx context.Context, client *http.Client) (items int, err error) {
	pl := azruntime.NewPipeline("bench", "v1", azruntime.PipelineOptions{}, &policy.ClientOptions{
		Transport: client, Retry: policy.RetryOptions{MaxRetries: -1}, Telemetry: policy.TelemetryOptions{Disabled: true},
	})
	p := azruntime.NewPager(azruntime.PagingHandler[list]{
		More: func(l list) bool { return l.NextLink != "" },
		Fetcher: func(ctx context.Context, l *list) (list, error) {
			url := ""
			if l != nil {
				url = l.NextLink
			}
			resp, err := azruntime.FetcherForNextLink(ctx, pl, url, func(ctx context.Context) (*policy.Request, error) { //nolint:bodyclose // UnmarshalAsJSON does
				return azruntime.NewRequest(ctx, http.MethodGet, first)
			}, nil)
			if err != nil {
				return list{}, err
			}
			var next list
			err = azruntime.UnmarshalAsJSON(resp, &next)
			return next, err
		},
	})
	for p.More() {
		l, err := p.NextPage(ctx)
		if err != nil {
			return items, err
		}
		items += len(l.Value)
	}
	return items, nil
}

var readers = []struct {
	name string
	read reader
}{
	{"bare", bare}, {"bareUnmarshal", bareUnmarshal}, {"azcore", az}, {"lro", ours},
}

func TestReadersAgree(t *testing.T) {
	client := &http.Client{Transport: newService(t, true)}
	for _, r := range readers {
		if n, err := r.read(t.Context(), client); err != nil || n != pages*perPage {
			t.Fatalf("%s: %d items, %v", r.name, n, err)
		}
	}
}

// One op is a listing of 1,000 pages of 100 items.
func BenchmarkPages(b *testing.B) {
	for _, sized := range []bool{true, false} {
		client := &http.Client{Transport: newService(b, sized)}
		for _, r := range readers {
			b.Run(fmt.Sprintf("%s/sized=%t", r.name, sized), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := r.read(b.Context(), client); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

var rounds = flag.Int("rounds", 0, "rounds of TestRatios; 0 skips it")

// TestRatios lets all readers read the listing in turn, round after round, so
// that whatever else the machine does falls on all alike. It prints the median
// of each, and of the ratios within a round. It judges nothing: a noisy machine
// would fail a good change.
func TestRatios(t *testing.T) {
	if *rounds == 0 {
		t.Skip("go test -run Ratios -v -rounds 15")
	}
	for _, sized := range []bool{true, false} {
		client := &http.Client{Transport: newService(t, sized)}
		times := make([][]float64, len(readers))
		for range *rounds {
			for i, r := range readers {
				runtime.GC()
				start := time.Now()
				if _, err := r.read(t.Context(), client); err != nil {
					t.Fatal(err)
				}
				times[i] = append(times[i], float64(time.Since(start)))
			}
		}
		for i, r := range readers {
			t.Logf("sized=%-5t %-13s %7.1f µs a page   x bare %.2f   x bareUnmarshal %.2f   x azcore %.2f   %6.0f bytes a page",
				sized, r.name, median(times[i])/1000/pages, ratio(times[i], times[0]), ratio(times[i], times[1]), ratio(times[i], times[2]),
				float64(allocated(t, r.read, client))/pages)
		}
	}
}

// ratio is the median of a/b within a round.
func ratio(a, b []float64) float64 {
	all := make([]float64, len(a))
	for i := range a {
		all[i] = a[i] / b[i]
	}
	return median(all)
}

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}

// allocated is how many bytes a reader allocates.
func allocated(tb testing.TB, read reader, client *http.Client) uint64 {
	tb.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := read(tb.Context(), client); err != nil {
		tb.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Bytes do not depend on what else the machine does, so they are held to.
func TestBytes(t *testing.T) {
	for _, sized := range []bool{true, false} {
		client := &http.Client{Transport: newService(t, sized)}
		theirs, ours := allocated(t, az, client), allocated(t, ours, client)
		if got := float64(ours) / float64(theirs); got > 0.7 {
			t.Errorf("sized=%t: %d bytes a page, %.2f of azcore's; want at most 0.70", sized, ours/pages, got)
		}
	}
}
