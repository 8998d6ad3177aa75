package features

import (
	"net/http"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/lro-go/lro/poller"
)

var survivalRows = []row{
	{"503 for ten minutes", "by `RetryOptions`", "yes", "yes", unavailable},
	{"503 with `Retry-After: 120`", "by `RetryOptions`", "yes", "yes", unavailableFor},
	{"429 without `Retry-After`, six times", "by `RetryOptions`", "yes", "yes", throttled},
	{"429 with `Retry-After: 120` for two hours", "by `RetryOptions`", "yes", "yes", throttledFor},
	{"The network fails for ten minutes", "by `RetryOptions`", "yes", "yes", networkLost},
	{"The network fails for an hour", "by `RetryOptions`", "yes", "yes", networkLostForAnHour},
	{"A response that never comes", "by `RetryOptions`", "no: waits for it", "yes", neverAnswers},
	{"A POST whose response is lost", "sends it again", "an error", "sends it again", answerLost},
	{"The status URL returns 404 at first", "no: an error", "yes", "yes", statusLate},
	{"The status URL always returns 404", "an error at once", "no: keeps polling", "yes", statusNever},
}

// persistent lets an azcore client retry for hours.
var persistent = &policy.RetryOptions{MaxRetries: 200, MaxRetryDelay: 5 * time.Minute, TryTimeout: time.Minute}

// survived returns a subject's table cell. If azcore or lro gives up, survived tries again with
// more patient options.
func survived(t *testing.T, subject string, of func() script) string {
	t.Helper()
	said := arrived(follow(t, subject, of()))
	switch {
	case said == "yes":
		return said
	case subject == azcore && arrived(followWith(t, azcoreFollows(persistent), of())) == "yes":
		return "by `RetryOptions`"
	case subject == lro && arrived(followWith(t, lroFollows(&poller.Options{Patience: poller.Patience{Time: 2 * time.Hour}}), of())) == "yes":
		return "by `Patience`"
	default:
		return said
	}
}

// during returns a handler that repeats the first answer until d has passed since the first
// request. After that, it gives the other answers in turn and repeats the last one.
func during(d time.Duration, answer http.HandlerFunc, then ...http.HandlerFunc) http.HandlerFunc {
	var since time.Time
	turn := -1
	return func(w http.ResponseWriter, r *http.Request) {
		if since.IsZero() {
			since = time.Now()
		}
		if time.Since(since) < d {
			answer(w, r)
			return
		}
		turn++
		then[min(turn, len(then)-1)](w, r)
	}
}

var (
	down    = says(http.StatusServiceUnavailable, `{"error":{"code":"ServerBusy","message":"Later."}}`)
	downFor = says(http.StatusServiceUnavailable, `{"error":{"code":"ServerBusy","message":"Later."}}`, "Retry-After", "120")
	tooMany = says(http.StatusTooManyRequests, `{"error":{"code":"TooManyRequests","message":"Later."}}`)
	notYet  = says(http.StatusTooManyRequests, `{"error":{"code":"TooManyRequests","message":"Later."}}`, "Retry-After", "120")
	absent  = says(http.StatusNotFound, notFound)
)

func unavailable(t *testing.T, subject string) string {
	return survived(t, subject, func() script {
		return asyncPut(during(10*time.Minute, down, withStatus("Running"), withStatus("Succeeded")))
	})
}

func unavailableFor(t *testing.T, subject string) string {
	return survived(t, subject, func() script { return asyncPut(downFor, withStatus("Succeeded")) })
}

func throttled(t *testing.T, subject string) string {
	return survived(t, subject, func() script { return asyncPut(times(6, tooMany, withStatus("Succeeded"))...) })
}

// throttledFor has the service respond with 429 for two hours. By default, lro tolerates failures
// for only 30 minutes, but a 429 is not treated as a failure.
func throttledFor(t *testing.T, subject string) string {
	return survived(t, subject, func() script { return asyncPut(during(2*time.Hour, notYet, withStatus("Succeeded"))) })
}

func networkLost(t *testing.T, subject string) string {
	return survived(t, subject, func() script {
		return asyncPut(during(10*time.Minute, lost, withStatus("Running"), withStatus("Succeeded")))
	})
}

func networkLostForAnHour(t *testing.T, subject string) string {
	return survived(t, subject, func() script {
		return asyncPut(during(time.Hour, lost, withStatus("Running"), withStatus("Succeeded")))
	})
}

// neverAnswers makes the service take a day to answer one read.
func neverAnswers(t *testing.T, subject string) string {
	hang := func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(24 * time.Hour):
			withStatus("Running")(w, r)
		}
	}
	of := func() script { return asyncPut(withStatus("Running"), hang, withStatus("Succeeded")) }
	if o := follow(t, subject, of()); o.took < 24*time.Hour {
		return arrived(o)
	}
	if o := followWith(t, azcoreFollows(persistent), of()); subject == azcore && o.took < 24*time.Hour && arrived(o) == "yes" {
		return "by `RetryOptions`"
	}
	return "no: waits for it"
}

func statusLate(t *testing.T, subject string) string {
	return arrived(follow(t, subject, asyncPut(absent, absent, withStatus("Succeeded"))))
}

// statusNever checks what a subject does if the status URL always returns 404. If the subject
// returns an error, the cell says how long it kept polling.
func statusNever(t *testing.T, subject string) string {
	o := follow(t, subject, asyncPut(absent))
	if o.endless() || o.err == nil {
		return arrived(o)
	}
	polls := o.of(polled)
	if len(polls) == 1 {
		return "an error at once"
	}
	return "an error after " + words((polls[len(polls)-1].at - polls[0].at).Truncate(time.Minute))
}

// answerLost reports whether a subject resends a POST whose response was lost.
func answerLost(t *testing.T, subject string) string {
	s := locationPost(shown("Succeeded"))
	s[postW] = append(turns(lost), s[postW]...)
	o := follow(t, subject, s)
	if len(o.of(postW)) > 1 {
		return "sends it again"
	}
	return "an error"
}
