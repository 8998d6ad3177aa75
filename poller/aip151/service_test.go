package aip151_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// A service implements part of AIP-151. Its operations succeed at the third read, but the one for
// the book "lost" fails, and the one for "endless" runs until it is canceled.
type service struct {
	mu       sync.Mutex
	asked    []string       // all requests, with their bodies
	reads    map[string]int // number of reads, by book
	canceled map[string]bool
}

func newService() *service {
	return &service{reads: map[string]int{}, canceled: map[string]bool{}}
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.asked = append(s.asked, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
	s.mu.Unlock()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/books/{book}", func(w http.ResponseWriter, r *http.Request) { s.write(w, r.PathValue("book")) })
	mux.HandleFunc("GET /v1/operations/{book}", func(w http.ResponseWriter, r *http.Request) { s.read(w, r.PathValue("book")) })
	mux.HandleFunc("POST /v1/operations/{book}", func(w http.ResponseWriter, r *http.Request) { s.cancel(w, r.PathValue("book")) })
	mux.ServeHTTP(w, r)
}

func (s *service) read(w http.ResponseWriter, book string) {
	s.mu.Lock()
	s.reads[book]++
	s.mu.Unlock()
	s.write(w, book)
}

// cancel handles a request to cancel the operation that prints a book. The request's path ends in
// ":cancel".
func (s *service) cancel(w http.ResponseWriter, path string) {
	book, found := strings.CutSuffix(path, ":cancel")
	if !found {
		http.Error(w, "no such method", http.StatusNotFound)
		return
	}
	s.mu.Lock()
	s.canceled[book] = true
	s.mu.Unlock()
	_, _ = w.Write([]byte(`{}`))
}

// write sends the current state of the operation that prints a book.
func (s *service) write(w http.ResponseWriter, book string) {
	s.mu.Lock()
	reads, canceled := s.reads[book], s.canceled[book]
	s.mu.Unlock()
	end := fmt.Sprintf(`"done": false, "metadata": {"progressPercent": %d}`, min(25*reads, 99))
	switch {
	case canceled:
		end = `"done": true, "error": {"code": 1, "message": "canceled by the caller"}`
	case book == "endless" || reads < 3:
	case book == "lost":
		end = `"done": true, "error": {"code": 5, "message": "the manuscript is lost", "details": [{"reason": "FIRE"}]}`
	default:
		end = fmt.Sprintf(`"done": true, "response": {"@type": "type.example.com/Book", "title": %q}`, book)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"name": "operations/%s", %s}`, book, end)
}
