// Package control implements the control interface of lro serve: commands that change a simulated
// service while it runs, and a live page that shows the service.
//
// The package contains the paths and the JSON of the interface, the journal of requests, and the
// page. It controls the service only through a Simulator.
//
// New returns the handler. The simulator records each request in the Journal.
package control

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/lro-go/lro/fakes"
)

// A Simulator is the simulated service behind the control interface. Its methods must be safe for
// concurrent use.
type Simulator interface {
	Operations() []fakes.Operation // in the order in which they started

	// End ends an operation in progress, and Forget removes one that has ended. Both report whether
	// they found such an operation.
	End(id string, ending fakes.Ending, err fakes.Error) bool
	Forget(id string) bool

	Faults() []Fault // in the order in which they were added
	AddFault(text, path string) (Fault, error)
	RemoveFault(id int) bool

	// Reset restores the initial state and clears the journal.
	Reset() error
}

// A Fault makes requests fail or slows them down.
type Fault struct {
	ID   int    `json:"id"`
	Text string `json:"fault"`          // as in --fault
	Path string `json:"path,omitempty"` // limits the fault to this path, the paths below it, and their operations
}

// maxBody is the maximum size of a command's body.
const maxBody = 64 << 10

//go:embed page
var page embed.FS

// A handler serves the control interface.
type handler struct {
	sim     Simulator
	journal *Journal
	service string // the URL of the simulated service
}

// New returns a handler for the control interface of sim. The parameter service is the URL of the
// simulated service.
func New(sim Simulator, journal *Journal, service string) http.Handler {
	h := &handler{sim, journal, service}
	mux := http.NewServeMux()
	for _, r := range h.routes() {
		mux.HandleFunc(r.pattern, r.serve)
	}
	mux.HandleFunc("/", h.unknown)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Let the page load only its own files, and let no other page frame it.
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		mux.ServeHTTP(w, r)
	})
}

// A route maps a method and path of the interface to a handler.
type route struct {
	pattern string
	serve   http.HandlerFunc
}

func (h *handler) routes() []route {
	return []route{
		{"GET /{$}", file("page.html")},
		{"GET /page.css", file("page.css")},
		{"GET /page.js", file("page.js")},
		{"GET /events", h.events},
		{"GET /health", h.health},
		{"GET /requests", h.requests},
		{"GET /operations", h.operations},
		{"POST /operations/{name}/succeed", h.end(fakes.Succeeded)},
		{"POST /operations/{name}/fail", h.end(fakes.Failed)},
		{"POST /operations/{name}/cancel", h.end(fakes.Canceled)},
		{"POST /operations/{name}/expire", h.expire},
		{"GET /faults", h.faults},
		{"POST /faults", h.addFault},
		{"DELETE /faults/{id}", h.removeFault},
		{"POST /reset", h.reset},
	}
}

func file(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, page, "page/"+name) }
}

// unknown responds to a request that no route matches.
func (h *handler) unknown(w http.ResponseWriter, r *http.Request) {
	var patterns []string
	for _, route := range h.routes() {
		patterns = append(patterns, strings.TrimSuffix(route.pattern, "{$}"))
	}
	refuse(w, http.StatusNotFound, "NotFound", fmt.Sprintf("The control interface has no %s %s. It has %s.", r.Method, r.URL.Path, strings.Join(patterns, ", ")))
}

func (h *handler) health(w http.ResponseWriter, _ *http.Request) {
	running := 0
	for _, op := range h.sim.Operations() {
		if op.End.IsZero() {
			running++
		}
	}
	respond(w, http.StatusOK, map[string]any{"status": "ok", "service": h.service, "operationsInProgress": running})
}

func (h *handler) requests(w http.ResponseWriter, _ *http.Request) {
	respond(w, http.StatusOK, map[string]any{"requests": h.journal.Requests()})
}

func (h *handler) operations(w http.ResponseWriter, _ *http.Request) {
	respond(w, http.StatusOK, map[string]any{"operations": shownAll(h.sim.Operations())})
}

// end returns the handler for the command that ends an operation with the given ending.
func (h *handler) end(ending fakes.Ending) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var failure fakes.Error
		if !read(w, r, &failure, `{"code": "QuotaExceeded", "message": "No more widgets."}, or no body`) {
			return
		}
		if ending == fakes.Succeeded && (failure.Code != "" || failure.Message != "") {
			refuse(w, http.StatusBadRequest, "BadRequest", "An operation that succeeds has no error.")
			return
		}
		op, ok := h.find(w, r)
		if !ok {
			return
		}
		if !h.sim.End(op.ID, ending, failure) {
			refuse(w, http.StatusConflict, "OperationEnded", fmt.Sprintf("The operation %s has already ended: %s.", op.ID, op.Status))
			return
		}
		h.journal.Touch()
		op, _ = find(h.sim.Operations(), op.ID)
		respond(w, http.StatusOK, shown(op))
	}
}

// expire handles the command that makes an operation's URLs stop working.
func (h *handler) expire(w http.ResponseWriter, r *http.Request) {
	op, ok := h.find(w, r)
	if !ok {
		return
	}
	if !h.sim.Forget(op.ID) {
		refuse(w, http.StatusConflict, "OperationInProgress", fmt.Sprintf("The operation %s is in progress: %s. Only an operation that has ended can expire.", op.ID, op.Status))
		return
	}
	h.journal.Touch()
	w.WriteHeader(http.StatusNoContent)
}

// find returns the operation named in r, or responds with an error if none exists.
func (h *handler) find(w http.ResponseWriter, r *http.Request) (fakes.Operation, bool) {
	name := r.PathValue("name")
	op, ok := find(h.sim.Operations(), name)
	if !ok {
		refuse(w, http.StatusNotFound, "OperationNotFound", fmt.Sprintf("There is no operation %q. GET /operations lists all operations.", name))
	}
	return op, ok
}

// find returns the operation whose ID is name or, failing that, the last operation on the resource
// whose path is name.
func find(all []fakes.Operation, name string) (found fakes.Operation, ok bool) {
	for _, op := range all {
		if op.ID == name {
			return op, true
		}
		if strings.EqualFold(op.Path, name) {
			found, ok = op, true
		}
	}
	return found, ok
}

func (h *handler) faults(w http.ResponseWriter, _ *http.Request) {
	respond(w, http.StatusOK, map[string]any{"faults": h.sim.Faults()})
}

// A faultRequest is the body of a request that adds a fault.
type faultRequest struct {
	Text string `json:"fault"`
	Path string `json:"path"`
}

func (h *handler) addFault(w http.ResponseWriter, r *http.Request) {
	var wanted faultRequest
	const want = `{"fault": "poll:1:503=10s"}, to which "path": "/widgets/w1" may be added`
	if !read(w, r, &wanted, want) {
		return
	}
	if wanted.Text == "" {
		refuse(w, http.StatusBadRequest, "BadRequest", "The fault is missing: want "+want+".")
		return
	}
	fault, err := h.sim.AddFault(wanted.Text, wanted.Path)
	if err != nil {
		refuse(w, http.StatusBadRequest, "BadRequest", fmt.Sprintf("fault %s: %v", wanted.Text, err))
		return
	}
	h.journal.Touch()
	respond(w, http.StatusCreated, fault)
}

func (h *handler) removeFault(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil || !h.sim.RemoveFault(id) {
		refuse(w, http.StatusNotFound, "FaultNotFound", fmt.Sprintf("There is no fault %q. GET /faults lists all faults.", r.PathValue("id")))
		return
	}
	h.journal.Touch()
	w.WriteHeader(http.StatusNoContent)
}

func (h *handler) reset(w http.ResponseWriter, _ *http.Request) {
	if err := h.sim.Reset(); err != nil {
		refuse(w, http.StatusInternalServerError, "ResetFailed", err.Error())
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// read decodes the body of r into v. If the body is invalid, read responds with an error and
// returns false. An empty body is valid.
func read(w http.ResponseWriter, r *http.Request, v any, want string) bool {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if errors.Is(err, io.EOF) {
		return true
	}
	if err == nil {
		_, err = d.Token()
		if errors.Is(err, io.EOF) {
			return true
		}
		err = errors.New("more than one JSON value")
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		refuse(w, http.StatusRequestEntityTooLarge, "RequestEntityTooLarge", "The body of a command has at most 64 KiB.")
		return false
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		panic(http.ErrAbortHandler) // the client was too slow or reset the connection
	}
	refuse(w, http.StatusBadRequest, "BadRequest", fmt.Sprintf("The body is not valid (%v): want %s.", err, want))
	return false
}

// refuse responds with an error in the format of Azure Resource Manager, whatever the style of the
// simulated service.
func refuse(w http.ResponseWriter, status int, code, message string) {
	respond(w, status, map[string]any{"error": fakes.Error{Code: code, Message: message}})
}

func respond(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	_ = e.Encode(v) // the client may already be gone
}
