package engine

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// The headers of ARM's asynchronous operation callbacks.
const (
	notificationURI = "Azure-AsyncNotificationUri" // a request header
	notification    = "Azure-AsyncNotification"    // a response header
)

// notifyTimeout is how long a receiver may take to respond.
const notifyTimeout = 30 * time.Second

// A Notification reports that an operation has ended. The fields of
// fakes.Notification document it.
type Notification struct {
	Time      time.Time
	Operation string
	URI       string
	Body      []byte

	StatusCode int
	Err        error
}

// A notifier sends notifications. The Service's mutex guards it, except for the
// WaitGroup.
type notifier struct {
	sent    []*Notification
	sending sync.WaitGroup
	stops   []func() // functions that stop a timer or cancel a request
	closed  bool
}

// Notifications returns a copy of all notifications so far, in the order in
// which they were sent.
func (s *Service) Notifications() []Notification {
	s.mu.Lock()
	defer s.mu.Unlock()
	notes := make([]Notification, 0, len(s.notifier.sent))
	for _, n := range s.notifier.sent {
		c := *n
		c.Body = slices.Clone(n.Body)
		notes = append(notes, c)
	}
	return notes
}

// Close cancels the notifications that are being sent, and returns when all
// goroutines of the service have ended. The service sends no notifications
// afterwards. Each notification uses one goroutine for at most 30 seconds.
// Close is unnecessary if Notify is nil, or if the receivers always respond.
func (s *Service) Close() {
	s.mu.Lock()
	for _, stop := range s.notifier.stops {
		stop()
	}
	s.notifier.stops, s.notifier.closed = nil, true
	s.mu.Unlock()
	s.notifier.sending.Wait()
}

// offer accepts a request for a notification. A timer then ends the operation
// on time, even if the client does not poll.
func (s *Service) offer(q *Request, op *Operation, a Answer) {
	uri := q.Header.Get(notificationURI)
	if uri == "" || s.Notify == nil || s.notifier.closed {
		return
	}
	a.Header.Set(notification, "Enabled")
	op.notify = uri
	if d := op.Plan.Duration; d > 0 && d < Forever {
		timer := time.AfterFunc(d, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.Settle(op)
		})
		s.notifier.stops = append(s.notifier.stops, func() { timer.Stop() })
	}
}

// sendEnd notifies the client that op has ended, if the client asked for a
// notification. It does not wait for the receiver, and does not hold a lock
// while it sends the notification.
func (s *Service) sendEnd(op *Operation) {
	if op.notify == "" || s.notifier.closed {
		return
	}
	doc := s.Dialect.Look(s, &Request{Op: op, View: StatusURL})
	n := &Notification{Time: op.End, Operation: op.ID, URI: op.notify, Body: doc.Body}
	s.notifier.sent = append(s.notifier.sent, n)
	ctx, cancel := context.WithTimeout(context.Background(), notifyTimeout)
	s.notifier.stops = append(s.notifier.stops, cancel)
	client, body := s.Notify, n.Body
	s.notifier.sending.Go(func() {
		defer cancel()
		code, err := post(ctx, client, n.URI, body)
		s.mu.Lock()
		defer s.mu.Unlock()
		n.StatusCode, n.Err = code, err
	})
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
