package features

import (
	"context"
	"errors"
	"net/http"
	"testing"

	azsdk "github.com/Azure/azure-sdk-for-go/sdk/azcore"
	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/poller"
)

var resultRows = []row{
	{"After a PUT, the wait reads the resource", "yes", "no: the caller has to read it", "yes", resourceRead},
	{"The result of a POST is where final-state-via says", "yes", "no: always the status document", "yes", finalStateVia},
	{"Succeeded, but the resource is still Creating for a few minutes", "no: ends before it is ready", "no: ends before it is ready", "yes", resourceNotReady},
	{"Succeeded, but the resource is 404 for a minute", "no: an error", "the caller has to read it", "yes", resourceLate},
	{"A result can be read again after a refusal", "no: returns the same error again", "the caller has to read it", "yes", resultAgain},
	{"DELETE leaves the result empty", "no: the result is the status document", "yes", "yes", deleteEmpty},
}

func resourceRead(t *testing.T, subject string) string {
	if subject == hashicorp {
		return "no: " + callerReadsResult(t)
	}
	o := follow(t, subject, asyncPut(withStatus("Succeeded")))
	if len(o.of(getW)) != 1 {
		return "no"
	}
	return arrived(o)
}

// callerReadsResult checks whether callers of go-azure-sdk's poller have to read a PUT's result
// themselves.
func callerReadsResult(t *testing.T) string {
	t.Helper()
	o := followWith(t, func(ctx context.Context, s *scripted) (string, error) {
		p, _, err := hashicorpBegins(ctx, s)
		if err != nil {
			return "", err
		}
		return "w", p.PollUntilDone(ctx)
	}, asyncPut(withStatus("Succeeded")))
	if o.err != nil || len(o.of(getW)) > 0 {
		return "the poller asks"
	}
	return "the caller has to read it"
}

// finalStateVia checks whether a subject reads the result from the URL that final-state-via
// selects.
func finalStateVia(t *testing.T, subject string) string {
	const result = operation + "/result"
	for via, want := range map[string]string{"azure-async-operation": "11111111-2222-3333-4444-555555555555", "location": "w"} {
		o := followWith(t, by(subject, via), script{
			postW:           inAccepted("Azure-AsyncOperation", arm+operation+version, "Location", arm+result+version),
			polled:          turns(withStatus("Succeeded")),
			"GET " + result: turns(shown("Succeeded")),
		})
		if o.err != nil || o.result != want {
			return "no: always the status document"
		}
	}
	return "yes"
}

// by returns a follower that sets the subject's final-state-via option. go-azure-sdk has no such
// option.
func by(subject, via string) follower {
	switch subject {
	case azcore:
		return func(ctx context.Context, s *scripted) (string, error) {
			p, err := azcoreBegins(ctx, s, &azruntime.NewPollerOptions[widget]{FinalStateVia: azruntime.FinalStateVia(via)})
			if err != nil {
				return "", err
			}
			w, err := p.PollUntilDone(ctx, nil)
			return w.Name, err
		}
	case lro:
		return lroFollows(&poller.Options{FinalStateVia: poller.FinalStateVia(via)})
	default:
		return followers[subject]
	}
}

func resourceLate(t *testing.T, subject string) string {
	if subject == hashicorp {
		return callerReadsResult(t)
	}
	s := asyncPut(withStatus("Succeeded"))
	s[getW] = turns(absent, absent, shown("Succeeded"))
	return arrived(follow(t, subject, s))
}

var refused = says(http.StatusForbidden, `{"error":{"code":"AuthorizationFailed","message":"No."}}`)

// updated returns a script in which a PUT successfully updates an existing resource. Later reads of
// the resource get the given responses.
func updated(answers ...http.HandlerFunc) script {
	return script{
		putW:   turns(shown("Updating", "Azure-AsyncOperation", arm+operation+version)),
		polled: turns(withStatus("Succeeded")),
		getW:   answers,
	}
}

// resourceNotReady checks how a subject handles an operation that succeeds while its resource is
// still Creating.
func resourceNotReady(t *testing.T, subject string) string {
	early := asyncPut(withStatus("Succeeded"))
	early[getW] = turns(shown("Creating"), shown("Creating"), shown("Succeeded"))
	o := follow(t, subject, early)
	if len(o.of(getW)) > 2 {
		return arrived(o)
	}
	if subject == lro {
		o = followWith(t, lroFollows(&poller.Options{Strategy: poller.Confirm(nil, poller.Check{})}), early)
		if arrived(o) == "yes" && len(o.of(getW)) > 2 {
			return "by `Confirm`"
		}
	}
	return "no: ends before it is ready"
}

// resultAgain reads the result again after the service has refused the first read.
func resultAgain(t *testing.T, subject string) string {
	s := played(updated(refused, shown("Succeeded")))
	var again func(context.Context) (widget, error)
	switch subject {
	case azcore:
		p, err := azcoreBegins[widget](t.Context(), s, nil)
		must(t, err)
		if _, err = p.PollUntilDone(t.Context(), nil); !azError(err) {
			return "no: ends well"
		}
		again = p.Result
	case lro:
		p, err := lroBegins[widget](t.Context(), s, nil)
		must(t, err)
		if _, err = p.PollUntilDone(t.Context()); err == nil {
			return "no: ends well"
		}
		again = p.Result
	default:
		return callerReadsResult(t)
	}
	if w, err := again(t.Context()); err == nil && w.Name == "w" {
		return "yes"
	}
	if len(s.of(getW)) == 1 {
		return "no: returns the same error again"
	}
	return "no"
}

func azError(err error) bool {
	_, ok := errors.AsType[*azsdk.ResponseError](err)
	return ok
}

func deleteEmpty(t *testing.T, subject string) string {
	o := follow(t, subject, script{
		deleteW: inAccepted("Azure-AsyncOperation", arm+operation+version),
		polled:  turns(withStatus("Deleting"), withStatus("Succeeded")),
		getW:    turns(shown("Deleting"), absent),
	})
	if o.err != nil {
		return arrived(o)
	}
	if o.result != "" {
		return "no: the result is the status document"
	}
	return "yes"
}
