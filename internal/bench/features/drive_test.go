package features

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-azure-sdk/sdk/client/pollers"

	"github.com/lro-go/lro/poller"
)

var driveRows = []row{
	{"One poll without waiting", "yes", "no", "yes", onePoll},
	{"The time of the next poll", "in the response", "no", "`NextPoll`", nextPoll},
	{"Progress, such as percentComplete", "in the response", "no", "in `Status`", progress},
	{"Cancels an operation", "no", "no", "if the protocol defines it, or by `CancelRequest`", cancels},
	{"Goroutines for 100 operations in `PollUntilDone` (lro: in a `Group`)", "100", "300", "2", goroutines},
	{"A wait of three days in a `testing/synctest` bubble", "yes", "yes", "yes", threeDays},
}

func has(of any, method string) bool {
	_, ok := reflect.TypeOf(of).MethodByName(method)
	return ok
}

// These are the methods of go-azure-sdk's poller. None of them polls once, returns the progress or
// the time of the next poll, or cancels the operation.
var offers = []string{"AllowRetryOnError", "FinalResult", "LatestResponse", "LatestStatus", "PollUntilDone"}

// hashicorpHas returns "no" if go-azure-sdk's poller has exactly the methods in offers. Otherwise,
// it returns the names of the poller's methods, which fails the row's test.
func hashicorpHas(t *testing.T) string {
	t.Helper()
	var all []string
	for m := range reflect.TypeFor[*pollers.Poller]().Methods() {
		all = append(all, m.Name)
	}
	if !slices.Equal(all, offers) {
		return fmt.Sprintf("it has %v", all)
	}
	return "no"
}

// percent returns a service that reports an operation as 40 percent complete, with a Retry-After of
// 40 seconds.
func percent() *scripted {
	return played(asyncPut(withStatus("Running", "Retry-After", "40"), withStatus("Succeeded")))
}

func onePoll(t *testing.T, subject string) string {
	s := percent()
	switch subject {
	case azcore:
		p, err := azcoreBegins[widget](t.Context(), s, nil)
		must(t, err)
		_, err = p.Poll(t.Context()) //nolint:bodyclose // azcore has read the body
		must(t, err)
	case lro:
		p, err := lroBegins[widget](t.Context(), s, nil)
		must(t, err)
		_, err = p.Poll(t.Context())
		must(t, err)
	default:
		return hashicorpHas(t)
	}
	if len(s.of(polled)) != 1 || time.Since(s.began) != 0 {
		return "no"
	}
	return "yes"
}

func nextPoll(t *testing.T, subject string) string {
	s := percent()
	switch subject {
	case azcore:
		p, err := azcoreBegins[widget](t.Context(), s, nil)
		must(t, err)
		resp, err := p.Poll(t.Context()) //nolint:bodyclose // azcore has read the body
		must(t, err)
		if !has(p, "NextPoll") && resp.Header.Get("Retry-After") == "40" {
			return "in the response"
		}
	case lro:
		p, err := lroBegins[widget](t.Context(), s, nil)
		must(t, err)
		_, err = p.Poll(t.Context())
		must(t, err)
		if time.Until(p.NextPoll()) == 40*time.Second {
			return "`NextPoll`"
		}
	}
	return hashicorpHas(t)
}

func progress(t *testing.T, subject string) string {
	s := percent()
	switch subject {
	case azcore:
		p, err := azcoreBegins[widget](t.Context(), s, nil)
		must(t, err)
		resp, err := p.Poll(t.Context())
		must(t, err)
		var doc struct{ PercentComplete float64 }
		must(t, json.NewDecoder(resp.Body).Decode(&doc))
		resp.Body.Close()
		if doc.PercentComplete == 40 {
			return "in the response"
		}
	case lro:
		p, err := lroBegins[widget](t.Context(), s, nil)
		must(t, err)
		for status, err := range p.Updates(t.Context()) {
			must(t, err)
			if status.PercentComplete != nil && *status.PercentComplete == 40 {
				return "in `Status`"
			}
		}
	}
	return hashicorpHas(t)
}

func cancels(t *testing.T, subject string) string {
	s := percent()
	switch subject {
	case azcore:
		p, err := azcoreBegins[widget](t.Context(), s, nil)
		must(t, err)
		if !has(p, "Cancel") {
			return "no"
		}
	case lro:
		p, err := lroBegins[widget](t.Context(), s, &poller.Options{CancelRequest: func(poller.Status) (*poller.Request, error) {
			return &poller.Request{Method: http.MethodDelete, URL: widgetW + version}, nil
		}})
		must(t, err)
		s.script[deleteW] = inAccepted()
		must(t, p.Cancel(t.Context()))
		if len(s.of(deleteW)) == 1 {
			return "if the protocol defines it, or by `CancelRequest`"
		}
	}
	return hashicorpHas(t)
}

// goroutines counts the goroutines that a subject needs to wait for 100 operations.
func goroutines(t *testing.T, subject string) string {
	const n = 100
	before := inBubble()
	done := make(chan error)
	all := waitedFor(t, subject, n, done)
	time.Sleep(time.Second) // after a second of simulated time, every operation is waiting for its next poll
	synctest.Wait()
	count := inBubble() - before
	for range all {
		must(t, <-done)
	}
	return fmt.Sprint(count)
}

// inBubble counts the goroutines in the caller's bubble.
func inBubble() int {
	own, all := make([]byte, 100), make([]byte, 8<<20)
	own, all = own[:runtime.Stack(own, false)], all[:runtime.Stack(all, true)]
	bubble := regexp.MustCompile(`synctest bubble \d+`).Find(own)
	return bytes.Count(all, append(bubble, ']'))
}

// waitedFor starts waiting for n operations. It returns how many values it will send on the
// channel.
func waitedFor(t *testing.T, subject string, n int, done chan<- error) int {
	t.Helper()
	if subject == lro {
		group := poller.NewGroup[*poller.Poller[widget]](nil)
		for range n {
			p, err := lroBegins[widget](t.Context(), played(asyncPut(withStatus("Succeeded"))), nil)
			must(t, err)
			group.Add(p)
		}
		group.Close()
		go func() {
			for _, err := range group.Wait(context.Background()) {
				if err != nil {
					done <- err
				}
			}
			done <- nil
		}()
		return 1
	}
	for range n {
		s := played(asyncPut(withStatus("Succeeded")))
		if subject == azcore {
			s.script[putW] = created("Azure-AsyncOperation", arm+operation+version, "Retry-After", "60")
		}
		ctx := deadline(t)
		go func() {
			_, err := followers[subject](ctx, s)
			done <- err
		}()
	}
	return n
}

func threeDays(t *testing.T, subject string) string {
	const days = 3 * 24 * time.Hour
	s := asyncPut(during(days-time.Hour, withStatus("Running", "Retry-After", "3600"), withStatus("Succeeded")))
	s[putW] = created("Azure-AsyncOperation", arm+operation+version, "Retry-After", "3600")
	if o := follow(t, subject, s); o.err != nil || o.took < days-2*time.Hour {
		return arrived(o)
	}
	return "yes"
}
