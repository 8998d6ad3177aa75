package fakes

import "time"

// expired says whether op ended so long ago that the service knows its URLs no
// more. An operation that runs is known however long it does.
func (s *Service) expired(op *operation) bool {
	if s.Expire <= 0 {
		return false
	}
	s.settle(op)
	return !op.running() && time.Since(op.end) >= s.Expire
}

// stranger says whether q asks about an operation that somebody else began.
func (q *question) stranger() bool {
	return q.op != nil && q.view != "" && q.caller != q.op.begun.caller
}
