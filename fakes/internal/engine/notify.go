package engine

import "time"

// The headers of ARM's asynchronous operation callbacks.
const (
	notificationURI = "Azure-AsyncNotificationUri" // a request header
	notification    = "Azure-AsyncNotification"    // a response header
)

// acceptNotification handles a request for a notification, and confirms it in the first response.
// If the plan sets a Duration but no Polls, a timer ends the operation even without polls.
func (s *Service) acceptNotification(q *Request, op *Operation, a Answer) {
	uri := q.Header.Get(notificationURI)
	if uri == "" || s.Notify == nil || s.closed {
		return
	}
	a.Header.Set(notification, "Enabled")
	op.notify = uri
	if op.Plan.Duration <= 0 || op.Plan.Duration == Forever {
		return
	}
	op.timer = time.AfterFunc(op.Plan.Duration, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.Settle(op)
	})
}

// notifyEnd notifies the client that op has ended, if the client requested a notification.
func (s *Service) notifyEnd(op *Operation) {
	if op.notify == "" || s.closed {
		return
	}
	doc := s.Dialect.Look(s, &Request{Op: op, View: StatusURL})
	s.Notify(Notification{Time: op.End, Operation: op.ID, URI: op.notify, Body: doc.Body})
}

// Close stops the timers of s. After that, s does not call Notify.
func (s *Service) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for op := range s.Open {
		if op.timer != nil {
			op.timer.Stop()
		}
	}
	s.closed = true
}
