package main

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/lro-go/lro/fakes"
)

// styles are the ways in which the service tells how an operation is getting on,
// another one in each of its subscriptions. The poller finds out which.
var styles = []fakes.Style{
	fakes.AzureAsyncOperation, fakes.OperationLocation, fakes.Location, fakes.ProvisioningState,
}

// A service is a fakes.Service that knows repeated requests and counts.
type service struct {
	http.Handler
	fake            *fakes.Service
	polls, begun    atomic.Int64
	repeated, again atomic.Int64 // beginnings that came again: with a RequestID, and without
}

func newService(cfg config) *service {
	fake := &fakes.Service{}
	fake.Plan(fakes.Plan{
		Method: http.MethodPost, Duration: cfg.duration,
		Result: map[string]any{"properties": map[string]any{"power": "on"}},
	})
	for k, style := range styles {
		for _, group := range []string{"fleet", "over-quota"} {
			plan := fakes.Plan{Path: subscription(k) + "/resourceGroups/" + group, Duration: cfg.duration, Style: style}
			if group == "over-quota" {
				plan.Ending = fakes.Failed
				plan.Error = fakes.Error{Code: "QuotaExceeded", Message: "No more widgets."}
			}
			fake.Plan(plan)
		}
	}
	fake.Fault(fakes.Fault{Do: fakes.Header("Retry-After-Ms", strconv.FormatInt(cfg.pause.Milliseconds(), 10))})
	s := &service{fake: fake}
	s.Handler = s.count(s.repeatable(fake))
	return s
}

// count counts what was asked.
func (s *service) count(next http.Handler) http.Handler {
	var seen sync.Map // beginnings
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			s.polls.Add(1)
		} else if _, known := seen.LoadOrStore(r.URL.Path, true); !known {
			s.begun.Add(1)
		} else if r.Header.Get(repeatabilityID) == "" {
			s.again.Add(1)
		}
		next.ServeHTTP(w, r)
	})
}

// repeatable gives the first answer again to a request that comes again (OASIS
// Repeatable Requests). It hands on only the headers that the fake needs: that
// keeps every request in its log, which is most of the memory of the
// demonstration.
func (s *service) repeatable(next http.Handler) http.Handler {
	var mu sync.Mutex
	first := map[string]*httptest.ResponseRecorder{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(repeatabilityID)
		r.Header = http.Header{"Content-Type": r.Header["Content-Type"]}
		if id == "" {
			next.ServeHTTP(w, r)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		answer, again := first[id]
		if again {
			s.repeated.Add(1)
		} else {
			answer = httptest.NewRecorder()
			next.ServeHTTP(answer, r)
			first[id] = answer
		}
		maps.Copy(w.Header(), answer.Header())
		w.Header().Set("Repeatability-Result", "accepted")
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
}

func subscription(k int) string {
	return fmt.Sprintf("/subscriptions/00000000-0000-0000-0000-%012d", k)
}

// widget is the path of the i-th resource.
func widget(i int) string {
	group := "fleet"
	if fails(i) {
		group = "over-quota"
	}
	return fmt.Sprintf("%s/resourceGroups/%s/providers/Microsoft.Contoso/widgets/w%06d", subscription(i%len(styles)), group, i)
}

// fails reports whether the i-th operation is to fail, as about one in a hundred
// does, and starts whether it is a POST, as one in ten is; the others are PUTs.
func fails(i int) bool { return i%101 == 7 && !starts(i) }

func starts(i int) bool { return i%10 == 9 }

// intent is the i-th operation.
func (s *service) intent(origin string, i int) BeginArgs {
	args := BeginArgs{Operation: fmt.Sprintf("op-%06d", i), Method: http.MethodPut, URL: origin + widget(i)}
	if !starts(i) {
		args.Body = fmt.Appendf(nil, `{"properties": {"size": %d}}`, i)
		return args
	}
	s.fake.Put(widget(i), map[string]any{"properties": map[string]any{"size": i}})
	args.Method, args.URL, args.RequestID = http.MethodPost, args.URL+"/start", requestID()
	return args
}
