package features

import (
	"net/http"
	"testing"
	"time"

	"github.com/lro-go/lro/poller"
)

var protocolRows = []row{
	{"Azure-AsyncOperation, to the resource", "yes", "yes", "yes", asyncOperation},
	{"provisioningState, to the resource", "yes", "yes", "yes", provisioningState},
	{"Location, to a resource", "yes", "yes", "yes", locationResource},
	{"Location, to any other result", "yes", "no: polls on", "yes", locationOther},
	{"Location of a POST, to a 204", "yes", "no: an error", "yes", locationEmpty},
	{"Operation-Location", "yes", "no: polls the resource", "yes", operationLocation},
	{"Relative Location", "no: an error at once", "no: an error at once", "yes", relativeLocation},
	{"Location that moves from poll to poll", "yes", "no: polls on", "yes", locationMoves},
	{"Azure-AsyncOperation that moves from poll to poll", "no: polls on", "no: polls on", "yes", asyncMoves},
	{"`Completed` and `Cancelled` end an operation", "yes", "no: polls on", "yes", nonstandardWords},
	{"An unknown status word means in progress", "yes", "yes", "yes", unknownWord},
	{"A first response that reports the end is not followed by a poll", "yes", "no: polls one more time", "no: polls one more time", endedAtOnce},
	{"DELETE whose Location ends in 404", "no: an error", "yes", "yes", deleteGone},
	{"A status that never ends although the resource is ready", "no: polls on", "no: polls on", "by `CrossCheck`", neverEnds},
	{"IBM Cloud's operations", "no: is treated as done while it runs", "no: ends without the result", "by `ibmcloud.Operation`", ibmOperation},
	{"A protocol of your own", "yes", "yes", "yes", ownProtocol},
}

// arrived returns the table's text for a wait that should return the widget.
func arrived(o followed) string {
	switch {
	case o.endless():
		return "no: polls on"
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

// neverEnds plays an operation whose resource is ready but whose status never says so.
func neverEnds(t *testing.T, subject string) string {
	o := follow(t, subject, asyncPut(withStatus("Running")))
	if check := (&poller.Options{Strategy: poller.CrossCheck(nil, poller.Check{After: time.Hour})}); subject == lro && o.endless() {
		if arrived(followWith(t, lroFollows(check), asyncPut(withStatus("Running")))) == "yes" {
			return "by `CrossCheck`"
		}
	}
	return arrived(o)
}
