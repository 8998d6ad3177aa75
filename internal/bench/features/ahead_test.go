package features

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/lro-go/lro/pager"
)

// fivePages returns a listing of five pages. The service takes a second for each page.
func fivePages() *scripted {
	s := script{}
	for n := 1; n <= 5; n++ {
		next := fmt.Sprintf("%s%s/%d%s", arm, widgets, n+1, version)
		if n == 5 {
			next = ""
		}
		answer := page(`{"name":"w"}`, next)
		what := page1
		if n > 1 {
			what = fmt.Sprintf("%s/%d", page1, n)
		}
		s[what] = turns(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second) // simulated time, because the test runs in a synctest bubble
			answer(w, r)
		})
	}
	return played(s)
}

// readAhead checks whether a subject reads the next page while its caller is still processing the
// current one.
func readAhead(t *testing.T, subject string) string {
	start := time.Now()
	next := lister(t, subject, fivePages())
	for more := true; more; {
		var names []string
		var err error
		names, more, err = next(t.Context())
		must(t, err)
		time.Sleep(time.Duration(len(names)) * time.Second)
	}
	took := time.Since(start)
	if subject == lro && took == 10*time.Second && ahead(t) == 6*time.Second {
		return "by `ReadAhead`"
	}
	if took < 10*time.Second {
		return "yes"
	}
	return "no"
}

// ahead returns how long lro takes to read and process all pages with the ReadAhead option.
func ahead(t *testing.T) time.Duration {
	t.Helper()
	start := time.Now()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, arm+widgets+version, http.NoBody)
	must(t, err)
	p := pager.New[widget](req, lroClient(fivePages()), &pager.Options{ReadAhead: 1})
	for _, err := range p.All(t.Context()) {
		must(t, err)
		time.Sleep(time.Second)
	}
	return time.Since(start)
}
