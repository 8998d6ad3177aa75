package fakes

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// notifyTimeout is how long a receiver may take to respond.
const notifyTimeout = 30 * time.Second

// A Notification reports that an operation has ended. The service posts it to the URI given in the
// operation's first request.
type Notification struct {
	Time      time.Time // when the operation ended
	Operation string    // the operation's ID
	URI       string    // the URI to which the service posts the notification
	Body      []byte    // the status document

	// StatusCode is the status code of the receiver's response. If there was no response, Err
	// explains why. Both are zero while the service waits for the response. The service does not
	// retry failed notifications.
	StatusCode int
	Err        error
}

// Notifications returns a copy of all notifications so far, in the order they were sent.
func (s *Service) Notifications() []Notification { return s.notifier.copy() }

// Close cancels the notifications being sent, and returns when all goroutines of the service have
// ended. After that, the service sends no notifications. Each notification uses one goroutine for
// at most 30 seconds. You need not call Close if Notify is nil, or if the receivers always respond.
func (s *Service) Close() {
	s.configured().Close()
	s.notifier.close()
}

// A notifier sends and records notifications.
type notifier struct {
	sending sync.WaitGroup

	mu      sync.Mutex
	sent    []*Notification
	cancels []context.CancelFunc // one for each notification
}

// sender returns a function that sends a notification with client. If client is nil, sender returns
// nil.
func (n *notifier) sender(client *http.Client) func(engine.Notification) {
	if client == nil {
		return nil
	}
	return func(note engine.Notification) {
		n.send(client, &Notification{Time: note.Time, Operation: note.Operation, URI: note.URI, Body: note.Body})
	}
}

// send records note and posts it in a new goroutine, without waiting for the response.
func (n *notifier) send(client *http.Client, note *Notification) {
	n.mu.Lock()
	defer n.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), notifyTimeout)
	n.sent = append(n.sent, note)
	n.cancels = append(n.cancels, cancel)

	n.sending.Go(func() {
		defer cancel()
		code, err := post(ctx, client, note.URI, note.Body)
		n.mu.Lock()
		defer n.mu.Unlock()
		note.StatusCode = code
		note.Err = err
	})
}

// close cancels the notifications being sent, and waits for the goroutines of n. The engine must
// not send any notifications after that.
func (n *notifier) close() {
	n.mu.Lock()
	for _, cancel := range n.cancels {
		cancel()
	}
	n.cancels = nil
	n.mu.Unlock()
	n.sending.Wait()
}

// copy returns a copy of all notifications so far, in the order they were sent.
func (n *notifier) copy() []Notification {
	n.mu.Lock()
	defer n.mu.Unlock()
	var notes []Notification
	for _, note := range n.sent {
		c := *note
		c.Body = slices.Clone(note.Body)
		notes = append(notes, c)
	}
	return notes
}

func post(ctx context.Context, client *http.Client, uri string, body []byte) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, uri, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 4<<10)) // so that the connection can be reused
	return resp.StatusCode, nil
}
