package main

import (
	"fmt"
	"net/http"
	"sync"
)

// A receiver gets the notifications of the service: a POST to a URI that the client
// chose, when an operation has ended. It takes none at its word. It wakes the poller
// up, and that asks the service.
type receiver struct {
	origin string

	mu   sync.Mutex
	wake map[string]func() // by path
}

// uri is where the notification of one operation is to go.
func (r *receiver) uri(n int) string { return fmt.Sprintf("%s/notifications/%d", r.origin, n) }

// expect says whom the notification at a URI wakes up.
func (r *receiver) expect(uri string, wake func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wake[uri[len(r.origin):]] = wake
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	wake := r.wake[req.URL.Path]
	r.mu.Unlock()
	if wake == nil {
		http.NotFound(w, req)
		return
	}
	wake()
}
