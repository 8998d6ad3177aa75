package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"
)

const (
	pages   = 1000 // number of pages in the measured listing
	perPage = 100
	first   = "https://a.test/widgets?api-version=1"
)

// A widget is an item with the usual fields of an ARM resource.
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

// A list is a page of widgets. The service encodes it, and all readers except lro's decode it.
type list struct {
	Value    []widget `json:"value"`
	NextLink string   `json:"nextLink"`
}

// A service serves the same listing to each subject, from memory. It encodes the pages in advance,
// so that only the client is measured.
type service struct {
	bodies map[string][]byte // by URL
	sized  bool              // whether responses have a Content-Length, as uncompressed responses do
}

func newService(tb testing.TB, sized bool, pages int) *service {
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

// link returns a page's URL. Its query is encoded as azcore would encode it, so that azcore does
// not change the URL.
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

var readers = []struct {
	name string
	read reader
}{
	{"bare", bare}, {"bareUnmarshal", bareUnmarshal}, {"azcore", az}, {"lro", ours},
}

func TestReadersAgree(t *testing.T) {
	const pages = 10
	client := &http.Client{Transport: newService(t, true, pages)}
	for _, r := range readers {
		if n, err := r.read(t.Context(), client); err != nil || n != pages*perPage {
			t.Fatalf("%s: %d items, %v", r.name, n, err)
		}
	}
}

// Each iteration reads a listing of 1,000 pages with 100 items each.
func BenchmarkPages(b *testing.B) {
	for _, sized := range []bool{true, false} {
		client := &http.Client{Transport: newService(b, sized, pages)}
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

// listing returns a runner that reads the whole listing.
func listing(tb testing.TB, read reader, client *http.Client) runner {
	return func(n int) error {
		for range n {
			if _, err := read(tb.Context(), client); err != nil {
				return err
			}
		}
		return nil
	}
}

// TestBytes checks that lro allocates at most 0.7 times as many bytes as azcore. Unlike times,
// allocated bytes do not depend on the machine's load.
func TestBytes(t *testing.T) {
	const pages = 50
	for _, sized := range []bool{true, false} {
		client := &http.Client{Transport: newService(t, sized, pages)}
		_, theirs := allocated(t, 1, listing(t, az, client))
		_, ours := allocated(t, 1, listing(t, ours, client))
		if got := ours / theirs; got > 0.7 {
			t.Errorf("sized=%t: %.0f bytes a page, %.2f of azcore's; want at most 0.70", sized, ours/pages, got)
		}
	}
}
