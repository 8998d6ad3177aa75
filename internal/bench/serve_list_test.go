package bench

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/lro-go/lro/fakes"
)

// BenchmarkSimulatedListing reads one page of a listing from a fakes.Service. The cost should
// depend only on the page size.
func BenchmarkSimulatedListing(b *testing.B) {
	for _, perPage := range []int{10, 100} {
		for _, resources := range []int{1000, 10_000, 100_000} {
			svc := &fakes.Service{PageSize: perPage, KeepRequests: 1}
			for i := range resources {
				svc.Put(fmt.Sprintf("%s/widgets/w%06d", group, i), map[string]any{"location": "westeurope", "properties": map[string]int{"size": i}})
			}
			for name, from := range map[string]int{"first": 0, "middle": resources / 2, "last": resources - perPage} {
				url := fmt.Sprintf("%s%s/widgets%s&$skiptoken=%d", host, group, version, from)
				b.Run(fmt.Sprintf("page=%d/resources=%d/%s", perPage, resources, name), func(b *testing.B) {
					before := cpu(b)
					defer func() { b.ReportMetric(float64((cpu(b)-before).Microseconds())/float64(b.N), "cpu-µs/op") }()
					for b.Loop() {
						w := httptest.NewRecorder()
						svc.ServeHTTP(w, httptest.NewRequestWithContext(b.Context(), http.MethodGet, url, http.NoBody))
						if w.Code != http.StatusOK {
							b.Fatal(w.Body)
						}
					}
				})
			}
		}
	}
}
