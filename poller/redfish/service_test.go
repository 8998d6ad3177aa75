package redfish_test

import (
	"cmp"
	"fmt"
	"net/http"
	"sync"
)

// update is the path of the action that updates the firmware.
const update = "/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate"

// A service is a management controller that updates its firmware. A successful update ends at the
// third read of the task monitor, not counting reads that the gateway answers.
type service struct {
	monitor string // path of the task monitor; "" means the constant monitor
	failure int    // status code with which the update fails; 0 means that it succeeds
	gateway []int  // status codes with which a gateway answers the first reads

	mu       sync.Mutex
	asked    []string
	reads    int
	canceled bool
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.Method+" "+r.URL.Path)
	w.Header().Set("Content-Type", "application/json")
	switch r.Method {
	case http.MethodPost:
		s.pending(w)
	case http.MethodDelete:
		s.delete(w)
	default:
		s.read(w)
	}
}

func (s *service) read(w http.ResponseWriter) {
	if len(s.gateway) > 0 {
		w.WriteHeader(s.gateway[0])
		body := "<html>the controller did not respond</html>"
		if s.gateway[0] > 500 {
			body = `{"error": {"code": "Base.1.8.ServiceTemporarilyUnavailable", "message": "Try again later."}}`
		}
		_, _ = fmt.Fprint(w, body)
		s.gateway = s.gateway[1:]
		return
	}
	if s.canceled {
		gone(w)
		return
	}
	s.reads++
	if s.failure > 0 {
		w.WriteHeader(s.failure)
		_, _ = fmt.Fprint(w, `{"error": {"code": "Base.1.8.GeneralError", "message": "See @Message.ExtendedInfo.", "@Message.ExtendedInfo": [
			{"MessageId": "Update.1.0.VerificationFailed", "Message": "The image is damaged.", "MessageSeverity": "Critical"}]}}`)
		return
	}
	if s.reads < 3 {
		s.pending(w)
		return
	}
	_, _ = fmt.Fprint(w, `{"error": {"code": "Base.1.8.Success", "message": "The update is complete."}}`)
}

// pending responds with a 202 that names the task monitor.
func (s *service) pending(w http.ResponseWriter) {
	w.Header().Set("Location", cmp.Or(s.monitor, monitor))
	w.WriteHeader(http.StatusAccepted)
	_, _ = fmt.Fprintf(w, `{"@odata.type": "#Task.v1_7_0.Task", "@odata.id": "/redfish/v1/TaskService/Tasks/1", "Id": "1",
		"Name": "Update", "TaskState": "Running", "PercentComplete": %d}`, 30*s.reads)
}

func (s *service) delete(w http.ResponseWriter) {
	if s.canceled {
		gone(w)
		return
	}
	s.canceled = true
	w.WriteHeader(http.StatusNoContent)
}

func gone(w http.ResponseWriter) {
	w.WriteHeader(http.StatusNotFound)
	_, _ = fmt.Fprint(w, `{"error": {"code": "Base.1.8.ResourceMissingAtURI", "message": "There is no such task."}}`)
}
