package control

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"
)

const (
	shownRequests   = 100 // the maximum number of requests in an event
	shownOperations = 100 // the maximum number of operations that the page shows

	// checkPeriod is how often an event stream checks for changes if no request arrives, because an
	// operation can end without a request.
	checkPeriod = 500 * time.Millisecond

	// minPeriod is the minimum time between two events. It keeps a busy service from overloading
	// the page.
	minPeriod = 100 * time.Millisecond

	// writeTimeout limits each write to a stream, so that the stream ends if the client stops
	// reading.
	writeTimeout = 10 * time.Second
)

// An event holds the changes since the previous event. The first event of a stream and the first
// event after a reset hold everything that the page shows.
type event struct {
	Now        time.Time    `json:"now"`
	Reset      bool         `json:"reset,omitempty"` // whether the page must first clear everything that it shows
	Service    string       `json:"service,omitempty"`
	Requests   []Request    `json:"requests,omitempty"`   // new and changed requests
	Operations *[]operation `json:"operations,omitempty"` // all operations that the page shows; nil if none has changed
	Faults     *[]Fault     `json:"faults,omitempty"`     // all faults; nil if none was added or removed
}

// events streams events until the client closes the connection.
func (h *handler) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	conn := http.NewResponseController(w)
	v := view{clears: -1}
	for {
		news := h.journal.since(v.changes)
		if e, changed := v.update(h, news); changed {
			_ = conn.SetWriteDeadline(time.Now().Add(writeTimeout)) // ignore the error, because a handler in a test has no connection
			if !sendEvent(w, e) || conn.Flush() != nil {
				return
			}
		}
		if sleep(r, checkPeriod-minPeriod, news.next) || sleep(r, minPeriod, nil) {
			return
		}
	}
}

// sleep waits until d has passed, wake is closed, or the client disconnects. It reports whether the
// client disconnected.
func sleep(r *http.Request, d time.Duration, wake <-chan struct{}) (gone bool) {
	select {
	case <-r.Context().Done():
		return true
	case <-wake:
	case <-time.After(d):
	}
	return false
}

func sendEvent(w http.ResponseWriter, e event) bool {
	text, err := json.Marshal(e) // contains no line breaks, which would end the data field (HTML standard, section 9.2)
	if err == nil {
		_, err = w.Write(slices.Concat([]byte("data: "), text, []byte("\n\n")))
	}
	return err == nil
}

// A view records what one page shows.
type view struct {
	changes    int
	clears     int
	operations []operation
	faults     []Fault
}

// update returns the event that updates the page, and reports whether there is anything to update.
func (v *view) update(h *handler, n news) (e event, changed bool) {
	e = event{Now: time.Now().UTC(), Requests: n.requests}
	if n.clears != v.clears {
		v.clears = n.clears
		e.Reset, e.Service = true, h.service
	}
	v.changes = n.changes
	e.Requests = slices.Clone(e.Requests[max(0, len(e.Requests)-shownRequests):])
	for i := range e.Requests {
		e.Requests[i].Header, e.Requests[i].Body = nil, "" // the page does not show them
	}

	all := h.sim.Operations()
	operations := shownAll(all[max(0, len(all)-shownOperations):])
	if e.Reset || !slices.EqualFunc(operations, v.operations, sameOperation) {
		v.operations = operations
		e.Operations = &v.operations
	}
	faults := h.sim.Faults()
	if e.Reset || !slices.Equal(faults, v.faults) {
		v.faults = faults
		e.Faults = &v.faults
	}
	return e, e.Reset || len(e.Requests) > 0 || e.Operations != nil || e.Faults != nil
}

// sameOperation reports whether a and b look the same on the page. Ending and Error change only
// when End does.
func sameOperation(a, b operation) bool {
	return a.ID == b.ID && a.Status == b.Status && a.End.Equal(b.End)
}
