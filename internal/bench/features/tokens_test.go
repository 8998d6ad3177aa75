package features

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/hashicorp/go-azure-sdk/sdk/client/resourcemanager"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	lroarm "github.com/lro-go/lro/poller/arm"
)

var tokenRows = []row{
	{"A wait continues in another process", "yes", "no: nothing to store", "yes", resumed},
	{"A resumed wait keeps the pause that the service asked for", "no: polls at once", "–", "yes", resumedInTime},
	{"A token of an operation that has ended", "no: an error", "–", "yes", tokenOfEnded},
	{"A token if the service accepts the operation but names no status URL", "no: an error without a token", "no: an error without a token", "yes, in the error", tokenOfLost},
	{"Resumes a token with another Go type for the result", "no: an error", "–", "yes", tokenOfOtherType},
	{"A token omits the credential", "yes", "–", "yes", tokenWithoutCredential},
	{"A token in which somebody has changed the host", "no: sends the credential there", "–", "yes: refuses it", tokenForged},
	{"Continues from the resource's ID alone, as the AzureRM provider does after a restart ([note](#notes))", "no: treats it as done while it is still running", "no: an error at once", "yes: reads the resource", idOnly},
	{"Resumes from the other library's token (azcore and lro)", "no", "–", "yes", tokenOfOtherPeer},
}

type gadget widget

// token starts an operation and returns its resume token.
func token(t *testing.T, subject string, s *scripted) string {
	t.Helper()
	text := ""
	switch subject {
	case azcore:
		p, err := azcoreBegins[widget](t.Context(), s, nil)
		must(t, err)
		text, err = p.ResumeToken()
		must(t, err)
	case lro:
		p, err := lroBegins[widget](t.Context(), s, nil)
		must(t, err)
		text, err = p.ResumeToken()
		must(t, err)
	}
	return text
}

// resumeFrom resumes an operation from its token, as another process would, and waits for the
// result.
func resumeFrom[T any](t *testing.T, subject, text string, s *scripted) (T, error) {
	t.Helper()
	var none T
	if subject == azcore {
		pl, err := azcorePipeline(s)
		must(t, err)
		p, err := azruntime.NewPollerFromResumeToken[T](text, pl, nil)
		if err != nil {
			return none, err
		}
		return p.PollUntilDone(t.Context(), nil)
	}
	p, err := poller.Resume[T](text, lroClient(s), &poller.Options{Origins: []string{arm}})
	if err != nil {
		return none, err
	}
	return p.PollUntilDone(t.Context())
}

func resumed(t *testing.T, subject string) string {
	s := played(asyncPut(withStatus("Running"), withStatus("Succeeded")))
	if subject == hashicorp {
		p, _, err := hashicorpBegins(deadline(t), s)
		must(t, err)
		if storable(&p) {
			return "yes"
		}
		return "no: nothing to store"
	}
	if w, err := resumeFrom[widget](t, subject, token(t, subject, s), s); err != nil || w.Name != "w" {
		return "no"
	}
	return "yes"
}

// storable reports whether a poller's JSON contains any data.
func storable(poller any) bool {
	text, err := json.Marshal(poller)
	return err == nil && string(text) != "{}"
}

// resumedInTime checks whether a poller that is resumed right away keeps the 10-minute pause that
// the service asked for.
func resumedInTime(t *testing.T, subject string) string {
	if subject == hashicorp {
		return "–"
	}
	s := asyncPut(withStatus("Succeeded"))
	s[putW] = created("Azure-AsyncOperation", arm+operation+version, "Retry-After", "600")
	service := played(s)
	_, err := resumeFrom[widget](t, subject, token(t, subject, service), service)
	must(t, err)
	if at := service.of(polled)[0].at; at < 10*time.Minute {
		return "no: polls at once"
	}
	return "yes"
}

func tokenOfEnded(t *testing.T, subject string) string {
	s := played(asyncPut(failed(`"error":` + quota + `,`)))
	var err error
	switch subject {
	case azcore:
		p, e := azcoreBegins[widget](t.Context(), s, nil)
		must(t, e)
		_, _ = p.PollUntilDone(t.Context(), nil)
		_, err = p.ResumeToken()
	case lro:
		p, e := lroBegins[widget](t.Context(), s, nil)
		must(t, e)
		_, _ = p.PollUntilDone(t.Context())
		var text string
		if text, err = p.ResumeToken(); err == nil {
			_, was := resumeFrom[widget](t, subject, text, s)
			return coded(followed{scripted: s, err: was})
		}
	default:
		return "–"
	}
	if err != nil {
		return "no: an error"
	}
	return "yes"
}

// tokenOfLost checks whether the error after a 202 without a status URL has a token. With this
// token, a caller can read the status from the resource itself.
func tokenOfLost(t *testing.T, subject string) string {
	s := played(script{postW: inAccepted(), "GET " + restart: turns(shown("Restarting"), shown("Succeeded"))})
	_, err := followers[subject](deadline(t), s)
	if err == nil {
		return "no: ends well"
	}
	wait, ok := errors.AsType[*lroerrors.WaitError](err)
	if !ok {
		return "no: an error without a token"
	}
	text, err := wait.ResumeToken()
	must(t, err)
	p, err := poller.Resume[widget](text, lroClient(s), &poller.Options{Origins: []string{arm}, Strategy: lroarm.ProvisioningState})
	must(t, err)
	if w, err := p.PollUntilDone(t.Context()); err != nil || w.Name != "w" {
		return "no"
	}
	return "yes, in the error"
}

func tokenOfOtherType(t *testing.T, subject string) string {
	if subject == hashicorp {
		return "–"
	}
	s := played(asyncPut(withStatus("Running"), withStatus("Succeeded")))
	if w, err := resumeFrom[gadget](t, subject, token(t, subject, s), s); err != nil || w.Name != "w" {
		return "no: an error"
	}
	return "yes"
}

func tokenWithoutCredential(t *testing.T, subject string) string {
	text := token(t, subject, played(asyncPut(withStatus("Running"))))
	switch {
	case text == "":
		return "–"
	case strings.Contains(text, "secret-"):
		return "no"
	default:
		return "yes"
	}
}

func tokenForged(t *testing.T, subject string) string {
	s := played(asyncPut(withStatus("Succeeded")))
	text := token(t, subject, s)
	if text == "" {
		return "–"
	}
	_, err := resumeFrom[widget](t, subject, strings.ReplaceAll(text, arm, evil), s)
	return went(followed{scripted: s, err: err})
}

func tokenOfOtherPeer(t *testing.T, subject string) string {
	other := map[string]string{azcore: lro, lro: azcore}[subject]
	if other == "" {
		return "–"
	}
	s := played(asyncPut(withStatus("Running"), withStatus("Succeeded")))
	if w, err := resumeFrom[widget](t, subject, token(t, other, s), s); err != nil || w.Name != "w" {
		return "no"
	}
	return "yes"
}

// idOnly follows the creation of a resource like a program that has stored only the resource's ID:
// the poller comes from a GET of the resource.
func idOnly(t *testing.T, subject string) string {
	s := played(script{getW: turns(shown("Creating"), shown("Creating"), shown("Succeeded"))})
	var w widget
	var err error
	switch subject {
	case azcore:
		w, err = azcoreFollowsID(t, s)
	case hashicorp:
		err = hashicorpFollowsID(deadline(t), t, s)
	default:
		req, e := http.NewRequestWithContext(t.Context(), http.MethodGet, arm+widgetW+version, http.NoBody)
		must(t, e)
		p, e := poller.Begin[widget](req, lroClient(s), &poller.Options{Strategy: lroarm.ProvisioningState})
		must(t, e)
		w, err = p.PollUntilDone(t.Context())
	}
	if err == nil && len(s.asked) < 3 {
		return "no: treats it as done while it is still running"
	}
	said := arrived(followed{scripted: s, result: w.Name, err: err})
	if said == "yes" {
		return "yes: reads the resource"
	}
	return said
}

func azcoreFollowsID(t *testing.T, s *scripted) (widget, error) {
	t.Helper()
	pl, err := azcorePipeline(s)
	must(t, err)
	req, err := azruntime.NewRequest(t.Context(), http.MethodGet, arm+widgetW+version)
	must(t, err)
	resp, err := pl.Do(req) //nolint:bodyclose // the pipeline has read the body
	must(t, err)
	p, err := azruntime.NewPoller[widget](resp, pl, nil)
	if err != nil {
		return widget{}, err
	}
	return p.PollUntilDone(t.Context(), nil)
}

func hashicorpFollowsID(ctx context.Context, t *testing.T, s *scripted) error {
	t.Helper()
	c, err := hashicorpManager(s)
	must(t, err)
	resp, err := hashicorpSends(ctx, c, http.MethodGet, widgetW)
	must(t, err)
	p, err := resourcemanager.PollerFromResponse(resp, c)
	if err != nil {
		return err
	}
	return p.PollUntilDone(ctx)
}
