package fhir_test

import (
	"cmp"
	"fmt"
	"net/http"
	"sync"
)

const (
	kickOff = "/fhir/Group/1/$export"
	status  = "/fhir/$export-poll-status?_jobId=1"
)

// A service is a FHIR server that exports a group of patients. Its status URL returns the scripted
// responses first, then progress twice, and then the end of the export.
type service struct {
	status string // path of the status URL; if empty, the constant status is used
	polls  []poll // responses to the first reads of the status

	mu       sync.Mutex
	asked    []string
	reads    int
	canceled bool
}

// A poll is a response to a read of the status.
type poll struct {
	code int
	body string
}

// outcome returns an OperationOutcome with one issue.
func outcome(code, text string) string {
	return fmt.Sprintf(`{"resourceType": "OperationOutcome", "issue": [{"severity": "error", "code": %q, "details": {"text": %q}}]}`, code, text)
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.Method+" "+r.URL.RequestURI())
	isKickOff := r.Header.Get("Prefer") == "respond-async"
	if isKickOff {
		w.Header().Set("Content-Location", "https://"+r.Host+cmp.Or(s.status, status))
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if s.canceled {
		respond(w, poll{http.StatusNotFound, outcome("not-found", "There is no such job.")})
		return
	}
	if r.Method == http.MethodDelete {
		s.canceled = true
		respond(w, poll{http.StatusAccepted, ""})
		return
	}
	s.read(w)
}

func (s *service) read(w http.ResponseWriter) {
	if len(s.polls) > 0 {
		respond(w, s.polls[0])
		s.polls = s.polls[1:]
		return
	}
	s.reads++
	if s.reads < 3 {
		w.Header().Set("X-Progress", fmt.Sprintf("%d%%", 40*s.reads))
		w.Header().Set("Retry-After", "120")
		respond(w, poll{http.StatusAccepted, ""})
		return
	}
	respond(w, poll{http.StatusOK, `{"transactionTime": "2026-01-01T00:00:00Z", "output": [{"type": "Patient", "url": "https://files.example.test/1.ndjson"}], "error": []}`})
}

func respond(w http.ResponseWriter, p poll) {
	w.Header().Set("Content-Type", "application/fhir+json")
	w.WriteHeader(p.code)
	_, _ = fmt.Fprint(w, p.body)
}
