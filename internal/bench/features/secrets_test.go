package features

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	azsdk "github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/hashicorp/go-azure-sdk/sdk/client/pollers"
)

var secretRows = []row{
	{"A status URL at another host", "no: sends the credential there", "yes: sends the request to the original host", "yes: refuses it", foreignStatus},
	{"A result URL at another host", "no: sends the credential there", "yes: sends the request to the original host", "yes: refuses it", foreignResult},
	{"A status URL with http instead of https", "yes: refuses it", "yes: sends the request to the original host", "yes: sends the request to the original host", plainStatus},
	{"A redirect to another host", "no: follows it, without the credential", "no: follows it, without the credential", "yes: refuses it", foreignRedirect},
	{"A redirect to the same host over http", "no: sends the credential there", "no: sends the credential there", "yes: refuses it", plainRedirect},
	{"The error of a request omits the query of the URL", "no: shows it", "yes, but also omits the cause", "yes", queryInError},
	{"The error of an operation omits the credential", "no: the error contains the request", "no: the error contains the request", "yes", credentialInError},
}

const evil = "https://evil.test"

// went returns the table cell for how a subject treats a URL with another host or with http.
func went(o followed) string {
	for _, q := range o.asked {
		switch {
		case q.host == arm:
		case q.header.Get("Authorization") != "":
			return "no: sends the credential there"
		default:
			return "no: follows it, without the credential"
		}
	}
	if o.err != nil {
		return "yes: refuses it"
	}
	return "yes: sends the request to the original host"
}

func foreignStatus(t *testing.T, subject string) string {
	s := asyncPut(withStatus("Succeeded"))
	s[putW] = created("Azure-AsyncOperation", evil+operation+version)
	return went(follow(t, subject, s))
}

func foreignResult(t *testing.T, subject string) string {
	const result = operation + "/result"
	return went(follow(t, subject, script{
		postW:           inAccepted("Azure-AsyncOperation", arm+operation+version, "Location", evil+result+version),
		polled:          turns(withStatus("Succeeded")),
		"GET " + result: turns(shown("Succeeded")),
	}))
}

func plainStatus(t *testing.T, subject string) string {
	s := asyncPut(withStatus("Succeeded"))
	s[putW] = created("Azure-AsyncOperation", strings.Replace(arm, "https", "http", 1)+operation+version)
	return went(follow(t, subject, s))
}

func redirected(t *testing.T, subject, origin string) string {
	t.Helper()
	const elsewhere = operation + "/moved"
	s := asyncPut(says(http.StatusTemporaryRedirect, "", "Location", origin+elsewhere+version))
	s["GET "+elsewhere] = turns(withStatus("Succeeded"))
	return went(follow(t, subject, s))
}

func foreignRedirect(t *testing.T, subject string) string {
	return redirected(t, subject, evil)
}

func plainRedirect(t *testing.T, subject string) string {
	return redirected(t, subject, strings.Replace(arm, "https", "http", 1))
}

// queryInError checks whether a failed request's error shows the URL's query, which may contain a
// signature.
func queryInError(t *testing.T, subject string) string {
	s := asyncPut(withStatus("Running"))
	s[putW] = created("Azure-AsyncOperation", arm+operation+"?sig=SIGNATURE")
	o := followWith(t, func(ctx context.Context, s *scripted) (string, error) {
		s.broken = polled
		return followers[subject](ctx, s)
	}, s)
	switch {
	case o.err == nil:
		return "no: ends well"
	case strings.Contains(o.err.Error(), "SIGNATURE"):
		return "no: shows it"
	case !strings.Contains(o.err.Error(), "certificate"):
		return "yes, but also omits the cause"
	default:
		return "yes"
	}
}

// credentialInError looks for the credential in a failed operation's error and in the request that
// the error contains.
func credentialInError(t *testing.T, subject string) string {
	o := follow(t, subject, asyncPut(failed(`"error":`+quota+`,`)))
	var req *http.Request
	if e, ok := errors.AsType[*azsdk.ResponseError](o.err); ok {
		req = e.RawResponse.Request
	}
	if e, ok := errors.AsType[pollers.PollingFailedError](o.err); ok {
		req = e.HttpResponse.Request
	}
	if req != nil && strings.Contains(req.Header.Get("Authorization"), "secret-") {
		return "no: the error contains the request"
	}
	if _, ok := failure(o.err); !ok || strings.Contains(fmt.Sprintf("%#v", o.err), "secret-") {
		return "no"
	}
	return "yes"
}
