package fakes

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
	notificationURI = "Azure-AsyncNotificationUri" // of the request
	notification    = "Azure-AsyncNotification"    // of the answer
)

// notifyTimeout is how long a receiver may take.
const notifyTimeout = 30 * time.Second

// A Notification is the word that an operation has ended, as it was sent to the
// URI that its first request named.
type Notification struct {
	Time      time.Time // when the operation ended
	Operation string    // its ID
	URI       string    // where it was sent
	Body      []byte    // the status document

	// StatusCode is that of the answer, and Err why there is none. Both are zero
	// while it is awaited. What failed is not sent again.
	StatusCode int
	Err        error
}

// A notifier sends notifications. Its mutex is the Service's, but for the group.
type notifier struct {
	sent    []*Notification
	sending sync.WaitGroup
	stops   []func() // give up what waits: for the end of an operation, for an answer
	closed  bool
}

// Notifications returns all notifications so far, in the order in which they
// were sent. The copy is the caller's.
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

// Close gives up the notifications that are under way, sends no more, and
// returns when nothing of the service runs any longer. A service that sends
// none need not be closed; nor need one whose receivers answer, for each
// notification has a goroutine of its own for at most 30 seconds.
func (s *Service) Close() {
	s.mu.Lock()
	for _, stop := range s.notifier.stops {
		stop()
	}
	s.notifier.stops, s.notifier.closed = nil, true
	s.mu.Unlock()
	s.notifier.sending.Wait()
}

// offer agrees to notify the client that asks for it. The operation ends on
// time then, also where nobody polls.
func (s *Service) offer(q *question, op *operation, a Answer) {
	uri := q.header.Get(notificationURI)
	if uri == "" || s.Notify == nil || s.notifier.closed {
		return
	}
	a.Header.Set(notification, "Enabled")
	op.notify = uri
	if d := op.plan.Duration; d > 0 && d < Forever {
		timer := time.AfterFunc(d, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.settle(op)
		})
		s.notifier.stops = append(s.notifier.stops, func() { timer.Stop() })
	}
}

// tell sends the notification that op has ended, if one was agreed on. The
// sender waits for no lock while it sends, and nobody waits for the sender.
func (s *Service) tell(op *operation) {
	if op.notify == "" || s.notifier.closed {
		return
	}
	doc := s.speech().look(s, &question{op: op, view: statuses})
	n := &Notification{Time: op.end, Operation: op.id, URI: op.notify, Body: doc.Body}
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
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, holdBack)) // for the connection's sake
	return resp.StatusCode, nil
}
