package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lro-go/lro/fakes"
)

// subscriptions are how many the operations are spread over. A service counts
// requests for each of them apart.
const subscriptions = 8

// steps are by how many polls an operation takes more than the average, in each
// subscription: so that not all of them end at once.
var steps = [subscriptions]int{0, -1, 1, 2, 0, 1, -1, -2}

// styles are the ways in which the service tells how an operation is getting on,
// another one in each subscription. The poller finds out which.
var styles = []fakes.Style{
	fakes.AzureAsyncOperation, fakes.OperationLocation, fakes.Location, fakes.ProvisioningState,
}

// groups are the resource groups, by what becomes of an operation in them.
var groups = map[fakes.Ending]string{
	fakes.Succeeded: "fleet",
	fakes.Failed:    "over-quota",
	fakes.Canceled:  "withdrawn",
}

func subscription(k int) string {
	return fmt.Sprintf("/subscriptions/00000000-0000-0000-0000-%012d", k)
}

// collection is where the resources are that the k-th subscription has, by what
// becomes of their operations.
func collection(k int, e fakes.Ending) string {
	return subscription(k) + "/resourceGroups/" + groups[e] + "/providers/Microsoft.Contoso/widgets"
}

// A service is a fakes.Service with a network before it, and counts. The fake is
// fast enough, at some 50 µs a request; but it keeps every request in its log,
// which is most of its memory and one reason for a process of its own.
type service struct {
	http.Handler
	requests, faults, throttled atomic.Int64
	open, dialed                atomic.Int64 // connections
}

func newService(cfg config) *service {
	svc := &fakes.Service{}
	for k := range subscriptions {
		polls := cfg.polls + steps[k] - 1 // that find it in progress; one more tells the end
		if polls <= 0 {
			polls = -1 // none; 0 is the fake's default
		}
		for ending, group := range groups {
			style := styles[k%len(styles)]
			if ending == fakes.Canceled && style == fakes.Location {
				style |= fakes.AzureAsyncOperation // a Location alone ends in a 409 then, as a failure does
			}
			svc.Plan(fakes.Plan{
				Path:   subscription(k) + "/resourceGroups/" + group,
				Style:  style,
				Polls:  polls,
				Ending: ending,
			})
		}
	}
	svc.Fault(fakes.Fault{Do: fakes.Header("Retry-After-Ms", strconv.FormatInt(cfg.pause.Milliseconds(), 10))})

	s := &service{}
	s.Handler = s.unreliable(cfg, svc)
	if cfg.throttle {
		s.Handler = s.throttling(cfg, s.Handler)
	}
	s.Handler = count(&s.requests, s.Handler)
	return s
}

func count(n *atomic.Int64, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.Add(1)
		next.ServeHTTP(w, r)
	})
}

// mishaps are what goes wrong with the answer to a read.
var mishaps = []func(http.Handler) http.Handler{
	fakes.Status(http.StatusInternalServerError),
	fakes.Status(http.StatusServiceUnavailable),
	fakes.HTML(http.StatusBadGateway),
	fakes.HTML(http.StatusOK), // of a proxy that wants people to sign in
	fakes.Truncate(10),
	fakes.Drop(),
}

// unreliable lets the answers to some reads go wrong.
func (s *service) unreliable(cfg config, next http.Handler) http.Handler {
	wrong := make([]http.Handler, len(mishaps))
	for i, do := range mishaps {
		wrong[i] = do(next)
	}
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(cfg.seed, 0))
	draw := func() (unlucky bool, which int) {
		mu.Lock()
		defer mu.Unlock()
		return random.Float64() < cfg.faults, random.IntN(len(wrong))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := next
		if unlucky, which := draw(); unlucky && r.Method == http.MethodGet {
			s.faults.Add(1)
			h = wrong[which]
		}
		h.ServeHTTP(w, r)
	})
}

// throttling refuses one subscription after the other, for the last quarter of a
// pause each.
func (s *service) throttling(cfg config, next http.Handler) http.Handler {
	start := time.Now()
	busy := fakes.Throttle(cfg.pause / 2)(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, since := next, time.Since(start)
		turn := subscription(int(since/cfg.pause) % subscriptions)
		if since%cfg.pause >= cfg.pause*3/4 && strings.HasPrefix(r.URL.Path, turn+"/") {
			s.throttled.Add(1)
			h = busy
		}
		h.ServeHTTP(w, r)
	})
}
