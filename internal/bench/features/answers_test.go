package features

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"testing"

	"github.com/lro-go/lro/poller"
)

var answerRows = []row{
	{"An HTML page in place of a status document", "no: an error", "no: an error", "yes", pageOfHTML},
	{"An HTML page in place of a resource", "no: an error, and the poller is done", "no: an error", "yes", pageOfHTMLForResource},
	{"If such a page has ended a wait, the next call continues it", "yes", "yes", "yes", pollAgain},
	{"A truncated status document", "yes", "no: an error", "yes", cutOff},
	{"A document without a status", "no: an error", "yes", "yes", noStatus},
	{"A byte order mark before a status document", "no: an error", "no: an error", "yes", byteOrderMark},
	{"401 without a challenge: the token was revoked", "no: an error", "no: an error", "yes", revoked},
	{"401 with a claims challenge (CAE)", "yes", "no: an error", "yes", claimsChallenge},
	{"How much it reads of a status document of 8 MiB", "all", "all", "4 MiB, and then repeats the read", bigStatus},
}

// html is the response from a proxy that answers in place of the service.
var html = says(http.StatusOK, "<html><body>Please log in to the network.</body></html>", "Content-Type", "text/html")

func pageOfHTML(t *testing.T, subject string) string {
	return arrived(follow(t, subject, asyncPut(withStatus("Running"), html, withStatus("Succeeded"))))
}

func pageOfHTMLForResource(t *testing.T, subject string) string {
	s := statePut(shown("Creating"), html, shown("Succeeded"))
	if subject == azcore {
		p, err := azcoreBegins[widget](t.Context(), played(s), nil)
		must(t, err)
		if _, err = p.PollUntilDone(t.Context(), nil); err != nil && p.Done() {
			return "no: an error, and the poller is done"
		}
	}
	return arrived(follow(t, subject, s))
}

// pollAgain checks whether a second call to PollUntilDone continues the wait after the first has
// returned an error. A negative Patience.Time makes lro return an error after the first failed
// read.
func pollAgain(t *testing.T, subject string) string {
	s := played(asyncPut(withStatus("Running"), html, withStatus("Succeeded")))
	wait := waiter(t, subject, s, &poller.Options{Patience: poller.Patience{Time: -1}})
	switch {
	case wait(deadline(t)) == nil:
		return "no: ends well"
	case wait(deadline(t)) != nil:
		return "no: an error"
	default:
		return "yes"
	}
}

func cutOff(t *testing.T, subject string) string {
	cut := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "400")
		_, _ = w.Write([]byte(`{"status":"Run`))
	}
	return arrived(follow(t, subject, asyncPut(withStatus("Running"), cut, withStatus("Succeeded"))))
}

func noStatus(t *testing.T, subject string) string {
	return arrived(follow(t, subject, asyncPut(withStatus("Running"), says(http.StatusOK, `{"id":"/x"}`), withStatus("Succeeded"))))
}

func byteOrderMark(t *testing.T, subject string) string {
	return arrived(follow(t, subject, asyncPut(says(http.StatusOK, "\xef\xbb\xbf"+string(document("Succeeded"))))))
}

// revoked simulates a service that no longer accepts the first token.
func revoked(t *testing.T, subject string) string {
	again := unless("Bearer secret-2", "", withStatus("Succeeded"))
	return arrived(follow(t, subject, asyncPut(withStatus("Running"), again)))
}

// claimsChallenge simulates a service that accepts only a token requested with the claims in its
// 401 response.
func claimsChallenge(t *testing.T, subject string) string {
	challenge := `Bearer realm="", error="insufficient_claims", claims="` + base64.StdEncoding.EncodeToString([]byte(demanded)) + `"`
	again := unless("Bearer secret-2-with-claims", challenge, withStatus("Succeeded"))
	return arrived(follow(t, subject, asyncPut(withStatus("Running"), again)))
}

// unless returns a handler that sends answer if the request has the credential, and a 401
// otherwise.
func unless(credential, challenge string, answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == credential {
			answer(w, r)
			return
		}
		if challenge != "" {
			w.Header().Set("WWW-Authenticate", challenge)
		}
		says(http.StatusUnauthorized, `{"error":{"code":"InvalidAuthenticationToken","message":"Another token, please."}}`)(w, r)
	}
}

func bigStatus(t *testing.T, subject string) string {
	const size, piece = 8 << 20, 1 << 20
	sent := 0
	big := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for space := bytes.Repeat([]byte(" "), piece); sent < size; sent += piece {
			if _, err := w.Write(space); err != nil {
				return
			}
		}
		_, _ = w.Write(document("Succeeded"))
	}
	o := follow(t, subject, asyncPut(big, withStatus("Succeeded")))
	if o.err != nil {
		return "no: an error"
	}
	if sent == size {
		return "all"
	}
	return fmt.Sprintf("%d MiB, and then repeats the read", sent>>20)
}
