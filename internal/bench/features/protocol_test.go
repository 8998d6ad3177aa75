package features

import (
	"net/http"
	"testing"
	"time"

	"github.com/lro-go/lro/poller"
)

var protocolRows = []row{
	{"Azure-AsyncOperation; the result is the resource", "yes", "yes", "yes", asyncOperation},
	{"provisioningState; the result is the resource", "yes", "yes", "yes", provisioningState},
	{"Location; the result is a resource", "yes", "yes", "yes", locationResource},
	{"Location; the result is other JSON", "yes", "no: keeps polling", "yes", locationOther},
	{"Location of a POST that ends with a 204", "yes", "no: an error", "yes", locationEmpty},
	{"Operation-Location", "yes", "no: polls the resource", "yes", operationLocation},
	{"Relative Location", "no: an error at once", "no: an error at once", "yes", relativeLocation},
	{"Location that changes with each poll", "yes", "no: keeps polling", "yes", locationMoves},
	{"Azure-AsyncOperation that changes with each poll", "no: keeps polling", "no: keeps polling", "yes", asyncMoves},
	{"`Completed` and `Cancelled` end an operation", "yes", "no: keeps polling", "yes", nonstandardWords},
	{"An unknown status word means in progress", "yes", "yes", "yes", unknownWord},
	{"No poll if the first response already reports the end", "yes", "no: polls one more time", "no: polls one more time", endedAtOnce},
	{"DELETE whose Location ends in 404", "no: an error", "yes", "yes", deleteGone},
	{"A status that stays in progress although the resource is ready", "no: keeps polling", "no: keeps polling", "by `CrossCheck`", neverEnds},
	{"IBM Cloud's operations", "no: treats it as done while it is still running", "no: ends without the result", "by `ibmcloud.Operation`", ibmOperation},
	{"A protocol of your own", "yes", "yes", "yes", ownProtocol},
}

// arrived returns the table cell for a wait that should return the widget.
func arrived(o followed) string {
	switch {
	case o.endless():
		return "no: keeps polling"
	case o.err != nil && len(o.asked) == 1:
		return "no: an error at once"
	case o.err != nil:
		return "no: an error"
	case o.result != "w":
		return "no: ends without the result"
	default:
		return "yes"
	}
}

func asyncOperation(t *testing.T, subject string) string {
	return arrived(follow(t, subject, asyncPut(withStatus("Running"), withStatus("Succeeded"))))
}

func provisioningState(t *testing.T, subject string) string {
	return arrived(follow(t, subject, statePut(shown("Creating"), shown("Succeeded"))))
}

func locationResource(t *testing.T, subject string) string {
	return arrived(follow(t, subject, locationPost(says(http.StatusAccepted, ""), shown("Succeeded"))))
}

func locationOther(t *testing.T, subject string) string {
	return arrived(follow(t, subject, locationPost(says(http.StatusAccepted, ""), says(http.StatusOK, `{"name":"w"}`))))
}

func locationEmpty(t *testing.T, subject string) string {
	o := follow(t, subject, locationPost(says(http.StatusAccepted, ""), says(http.StatusNoContent, "")))
	o.result += "w"
	return arrived(o)
}

func operationLocation(t *testing.T, subject string) string {
	s := asyncPut(withStatus("Running"), withStatus("Succeeded"))
	s[putW] = created("Operation-Location", arm+operation+version)
	o := follow(t, subject, s)
	if len(o.of(polled)) == 0 {
		return "no: polls the resource"
	}
	return arrived(o)
}

func relativeLocation(t *testing.T, subject string) string {
	s := locationPost(says(http.StatusAccepted, ""), shown("Succeeded"))
	s[postW] = inAccepted("Location", operation+version)
	return arrived(follow(t, subject, s))
}

func locationMoves(t *testing.T, subject string) string {
	s := locationPost(says(http.StatusAccepted, "", "Location", arm+operation+"/2"+version))
	s[polled+"/2"] = turns(shown("Succeeded"))
	return arrived(follow(t, subject, s))
}

func asyncMoves(t *testing.T, subject string) string {
	s := asyncPut(withStatus("Running", "Azure-AsyncOperation", arm+operation+"/2"+version))
	s[polled+"/2"] = turns(withStatus("Succeeded"))
	return arrived(follow(t, subject, s))
}

func nonstandardWords(t *testing.T, subject string) string {
	if said := arrived(follow(t, subject, statePut(shown("Creating"), shown("Completed")))); said != "yes" {
		return said
	}
	o := follow(t, subject, statePut(shown("Creating"), shown("Cancelled")))
	if o.endless() || o.err == nil {
		return arrived(o)
	}
	return "yes"
}

func unknownWord(t *testing.T, subject string) string {
	return arrived(follow(t, subject, asyncPut(withStatus("Dequeued"), withStatus("Succeeded"))))
}

func endedAtOnce(t *testing.T, subject string) string {
	s := asyncPut(withStatus("Succeeded"))
	s[putW] = turns(shown("Succeeded", "Azure-AsyncOperation", arm+operation+version))
	o := follow(t, subject, s)
	if len(o.of(polled)) > 0 {
		return "no: polls one more time"
	}
	return arrived(o)
}

func deleteGone(t *testing.T, subject string) string {
	o := follow(t, subject, script{
		deleteW: inAccepted("Location", arm+operation+version),
		polled:  turns(says(http.StatusAccepted, ""), says(http.StatusNotFound, notFound)),
		getW:    turns(says(http.StatusNotFound, notFound)),
	})
	o.result += "w"
	return arrived(o)
}

// neverEnds describes what a subject does if the operation's status stays Running although the
// resource is ready.
func neverEnds(t *testing.T, subject string) string {
	o := follow(t, subject, asyncPut(withStatus("Running")))
	if check := (&poller.Options{Strategy: poller.CrossCheck(nil, poller.Check{After: time.Hour})}); subject == lro && o.endless() {
		if arrived(followWith(t, lroFollows(check), asyncPut(withStatus("Running")))) == "yes" {
			return "by `CrossCheck`"
		}
	}
	return arrived(o)
}
