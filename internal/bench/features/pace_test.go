package features

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/poller"
)

var paceRows = []row{
	{"`Retry-After` in seconds", "yes", "yes", "yes", retryAfterSeconds},
	{"`Retry-After` as a date", "yes", "no: every 10 s", "yes", retryAfterDate},
	{"`Retry-After` in the response of a resource", "yes", "no: every 10 s", "yes", retryAfterResource},
	{"A `Retry-After` in the first response only", "no: every 30 s", "yes", "yes", retryAfterOnce},
	{"Without `Retry-After`", "every 30 s, or `Frequency`", "every 10 s", "every 60 s, or `Cadence`", retryAfterNever},
	{"Pauses that start at 1 s and grow", "no: always every 30 s, or `Frequency`", "no: always every 10 s", "by `Cadence.First`", growing},
	{"`Retry-After: 0`", "every 30 s", "no: reads without a pause", "every 10 s", retryAfterZero},
	{"`Retry-After` of a day", "reads after 24 h", "reads after 24 h", "reads after 10 min", retryAfterDay},
}

// every returns the table cell for the pauses between polls, ignoring the pause before the first
// poll.
func every(o followed, what string) string {
	polls := o.of(what)
	if len(polls) < 4 {
		return "no: an error"
	}
	pause := polls[1].at - polls[0].at
	for i := 2; i < 4; i++ {
		if polls[i].at-polls[i-1].at != pause {
			return "no: at other times"
		}
	}
	if pause == 0 {
		return "no: reads without a pause"
	}
	return "every " + words(pause)
}

// words formats a duration for the table.
func words(d time.Duration) string {
	switch {
	case d >= 2*time.Hour && d%time.Hour == 0:
		return fmt.Sprintf("%d h", d/time.Hour)
	case d >= 2*time.Minute && d%time.Minute == 0:
		return fmt.Sprintf("%d min", d/time.Minute)
	default:
		return fmt.Sprintf("%d s", d/time.Second)
	}
}

// asRequested returns the table cell for a service that asks for pauses of 40 s. The argument
// describes the pauses that the subject made.
func asRequested(pause string) string {
	if pause == "every 40 s" {
		return "yes"
	}
	return "no: " + pause
}

func retryAfterSeconds(t *testing.T, subject string) string {
	const asked = "40"
	return asRequested(every(follow(t, subject, asyncPut(times(4, withStatus("Running", "Retry-After", asked), withStatus("Succeeded"))...)), polled))
}

func retryAfterDate(t *testing.T, subject string) string {
	inForty := func(w http.ResponseWriter, r *http.Request) {
		withStatus("Running", "Retry-After", time.Now().Add(40*time.Second).UTC().Format(http.TimeFormat))(w, r)
	}
	return asRequested(every(follow(t, subject, asyncPut(times(4, inForty, withStatus("Succeeded"))...)), polled))
}

func retryAfterResource(t *testing.T, subject string) string {
	return asRequested(every(follow(t, subject, statePut(times(4, shown("Creating", "Retry-After", "40"), shown("Succeeded"))...)), getW))
}

func retryAfterOnce(t *testing.T, subject string) string {
	s := asyncPut(times(4, withStatus("Running"), withStatus("Succeeded"))...)
	s[putW] = created("Azure-AsyncOperation", arm+operation+version, "Retry-After", "40")
	return asRequested(every(follow(t, subject, s), polled))
}

// retryAfterNever returns how often a subject polls a service that sends no Retry-After, and which
// option changes this.
func retryAfterNever(t *testing.T, subject string) string {
	pause := func(with follower) string {
		return every(followWith(t, with, asyncPut(times(4, withStatus("Running"), withStatus("Succeeded"))...)), polled)
	}
	said := pause(followers[subject])
	switch {
	case subject == azcore && pause(azcoreEvery(25*time.Second)) == "every 25 s":
		return said + ", or `Frequency`"
	case subject == lro && pause(lroFollows(&poller.Options{Cadence: poller.Cadence{Default: 25 * time.Second}})) == "every 25 s":
		return said + ", or `Cadence`"
	default:
		return said
	}
}

func azcoreEvery(pause time.Duration) follower {
	return func(ctx context.Context, s *scripted) (string, error) {
		p, err := azcoreBegins[widget](ctx, s, nil)
		if err != nil {
			return "", err
		}
		w, err := p.PollUntilDone(ctx, &azruntime.PollUntilDoneOptions{Frequency: pause})
		return w.Name, err
	}
}

// growing checks whether a subject can start with short pauses and then lengthen them.
func growing(t *testing.T, subject string) string {
	of := asyncPut(times(5, withStatus("Running"), withStatus("Succeeded"))...)
	with := followers[subject]
	if subject == lro {
		with = lroFollows(&poller.Options{Cadence: poller.Cadence{First: time.Second}})
	}
	o := followWith(t, with, of)
	var at []time.Duration
	for _, q := range o.of(polled) {
		at = append(at, q.at)
	}
	const s = time.Second
	if slices.Equal(at, []time.Duration{1 * s, 3 * s, 7 * s, 15 * s, 31 * s, 63 * s}) {
		return "by `Cadence.First`"
	}
	pauses := map[string]string{azcore: ", or `Frequency`"}
	return "no: always " + every(o, polled) + pauses[subject]
}

func retryAfterZero(t *testing.T, subject string) string {
	return every(follow(t, subject, asyncPut(times(4, withStatus("Running", "Retry-After", "0"), withStatus("Succeeded"))...)), polled)
}

func retryAfterDay(t *testing.T, subject string) string {
	o := follow(t, subject, asyncPut(withStatus("Running", "Retry-After", "86400"), withStatus("Succeeded")))
	polls := o.of(polled)
	return "reads after " + words(polls[1].at-polls[0].at)
}
