// Package redfish follows the asynchronous operations of a Redfish service, such as a server's
// management controller (DMTF DSP0266). Set Options.Strategy of package
// [github.com/lro-go/lro/poller] to a [TaskMonitor].
//
// The package handles task monitors, the states of a Task and Redfish's errors. A TaskMonitor has
// no options. The package does not handle a service's resources and actions, and opens no session:
// your client sends the credentials.
package redfish

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller/strategy"
)

// A TaskMonitor follows the task monitor that a 202 names (DSP0266, "Asynchronous operations").
//
// The Location of the 202 is the task monitor's URL. Some services send only a Task; TaskMonitor
// then reads the URL in the Task's TaskMonitor member, or the Task itself. A 202 means that the
// operation is in progress. If its body is a Task, Status contains the Task's PercentComplete, and
// its TaskState as the Word. Any other response is the response to the original request, "as if it
// had been completed synchronously": a 2xx means success, and its JSON body is the result (if it is
// empty, the result is at the Location); a 4xx or 5xx with a Redfish error is a failure. Some
// services return a Task with a 200. The TaskState then decides whether and how the operation
// ended, and the Task is the result.
//
// As in any other protocol, two kinds of responses do not mean that the operation failed: a 4xx or
// 5xx without a Redfish error, and any 404, 410, 502, 503 or 504. Package transport first retries
// any 5xx except 501 and 505, so even a 5xx that reports a failure usually causes a few more
// requests.
//
// Cancel sends a DELETE to the task monitor. Because the service chooses that URL, Cancel sends the
// DELETE only if the URL's path has a segment TaskService and continues after it. To cancel at any
// other URL, set the CancelRequest of poller.Options. Services usually delete a canceled
// operation's task monitor, so the wait ends with the reason Gone.
type TaskMonitor struct{}

// A document is a response body. Its fields are the members of a Task (schema Task) and of an error
// (DSP0266, "Error responses").
type document struct {
	Type            string `json:"@odata.type"`
	URL             string `json:"@odata.id"`
	ID, Name        string
	TaskState       string
	TaskMonitor     string
	PercentComplete *float64
	Messages        []message
	Error           struct {
		Code, Message string
		ExtendedInfo  []message `json:"@Message.ExtendedInfo"`
	}
}

// A message belongs to a Task or an error (schema Message).
type message struct{ MessageID, Message string }

// ended gives the meaning of the TaskStates that only Redfish uses. Package strategy knows the
// others.
var ended = map[string]strategy.State{"Exception": strategy.Failed, "Killed": strategy.Canceled}

// gone lists the status codes for a task that the service has deleted.
var gone = []int{http.StatusNotFound, http.StatusGone}

// ReadsServerError implements [strategy.ServerErrorReader]. It returns false for 502, 503 and 504,
// which a gateway may send.
func (TaskMonitor) ReadsServerError(code int) bool { return code < 502 || code > 504 }

// Step implements [strategy.Strategy].
func (TaskMonitor) Step(a strategy.Answer) (strategy.Move, error) {
	var doc document
	_ = json.Unmarshal(a.Body, &doc) // ignore errors, because a result may have members with these names but other types
	isTask := strings.HasPrefix(doc.Type, "#Task.")
	if !isTask {
		doc = document{Error: doc.Error}
	}
	if a.Code == http.StatusAccepted {
		return doc.task(a, a.Header.Get("Location"))
	}

	isEmpty := len(bytes.TrimSpace(a.Body)) == 0
	if !isEmpty && !json.Valid(a.Body) {
		return strategy.Move{}, strategy.ErrNotJSON // perhaps a gateway's error page
	}
	if a.Code/100 != 2 {
		return doc.failed(a)
	}
	if isTask {
		return doc.task(a, "")
	}
	mv := strategy.Move{Status: strategy.Status{State: strategy.Succeeded}, Result: strategy.Result{Body: a.Body}}
	if isEmpty {
		mv.Result = strategy.Result{URL: a.Header.Get("Location")} // the new resource ("POST (create)"); without a Location, there is no result
	}
	return mv, nil
}

// task interprets a 202, or any other 2xx with a Task in its body. The parameter monitor is the
// task monitor's URL, or "" if unknown.
func (d *document) task(a strategy.Answer, monitor string) (strategy.Move, error) {
	mv := strategy.Move{Poll: monitor, Inline: true, Result: strategy.Result{Body: a.Body}} // Inline, because the next response may be the result
	mv.Status = strategy.Status{State: strategy.InProgress, Word: d.TaskState, ID: d.ID, Name: d.Name, PercentComplete: d.PercentComplete}
	if a.First {
		mv.Poll = cmp.Or(monitor, d.TaskMonitor, d.URL)
		if mv.Poll == "" {
			return strategy.Move{}, fmt.Errorf("%w: a %d without the URL of a task monitor", lroerrors.ErrNoOperation, a.Code)
		}
	}
	if a.Code == http.StatusAccepted {
		return mv, nil // in progress, whatever the TaskState
	}

	mv.Status.State = cmp.Or(a.Words[strings.ToLower(d.TaskState)], ended[d.TaskState], a.State(d.TaskState))
	switch mv.Status.State {
	case strategy.Failed, strategy.Canceled:
		mv.Status.Detail = &lroerrors.Detail{Details: details(d.Messages)}
	}
	return mv, nil
}

// failed interprets a 4xx or 5xx.
func (d *document) failed(a strategy.Answer) (strategy.Move, error) {
	if slices.Contains(gone, a.Code) || d.Error.Code == "" {
		return strategy.Move{}, strategy.ErrNoStatus
	}
	detail := &lroerrors.Detail{Code: d.Error.Code, Message: d.Error.Message, Details: details(d.Error.ExtendedInfo)}
	return strategy.Move{Status: strategy.Status{State: strategy.Failed, Detail: detail}}, nil
}

func details(messages []message) (list []lroerrors.Detail) {
	for _, m := range messages {
		list = append(list, lroerrors.Detail{Code: m.MessageID, Message: m.Message})
	}
	return list
}

// Cancel implements [strategy.Canceler].
func (TaskMonitor) Cancel(a strategy.Answer) (*strategy.Request, error) {
	u, err := url.Parse(a.Poll)
	if err != nil || !strings.Contains(path.Clean(u.Path), "/TaskService/") {
		return nil, nil
	}
	return &strategy.Request{Method: http.MethodDelete, OK: gone}, nil
}
