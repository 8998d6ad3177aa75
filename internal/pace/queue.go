package pace

import (
	"container/list"
	"time"
)

// longestLead limits the time from the next turn to LastTurn, and from LastTurn to Promise.
const longestLead = time.Minute

// A Queue lets requests start one at a time, in order, at its Pace. It is not safe for concurrent
// use.
type Queue struct {
	Pace
	waiting  list.List // *Place values, in order
	promised time.Time // the time that Promise returns next, unless it is too early or too late
}

// A Place is a request's place in a Queue. The zero Place is in no queue.
type Place struct {
	element *list.Element
	changed chan struct{}
}

// IsWaiting reports whether p is in a queue.
func (p *Place) IsWaiting() bool { return p.element != nil }

// Changed returns a channel that receives a value when the request should check its queue again.
func (p *Place) Changed() <-chan struct{} { return p.changed }

// IsUnused reports whether the queue is no longer needed.
func (q *Queue) IsUnused(now time.Time) bool { return q.IsEmpty() && q.IsOver(now) }

// IsEmpty reports whether no requests are waiting.
func (q *Queue) IsEmpty() bool { return q.waiting.Len() == 0 }

// IsNext reports whether p is first in the queue or the queue is empty.
func (q *Queue) IsNext(p *Place) bool { return q.waiting.Front() == p.element }

// Join adds p to the end of the queue, unless p is already waiting.
func (q *Queue) Join(p *Place) {
	if p.IsWaiting() {
		return
	}
	p.changed = make(chan struct{}, 1)
	p.element = q.waiting.PushBack(p)
}

// Leave removes p from the queue, if p is in it.
func (q *Queue) Leave(p *Place) {
	if !p.IsWaiting() {
		return
	}
	q.waiting.Remove(p.element)
	p.element = nil
	q.Wake()
}

// Wake notifies the first request that the queue or the pace has changed.
func (q *Queue) Wake() {
	first := q.waiting.Front()
	if first == nil {
		return
	}
	select {
	case first.Value.(*Place).changed <- struct{}{}:
	default: // the first request has not yet received the previous value
	}
}

// gap returns the time between two requests. It is at least a millisecond, so that a waiting
// request does not recheck its turn at once.
func (q *Queue) gap(now time.Time) time.Duration { return max(q.Interval(now), time.Millisecond) }

// lead returns the maximum time from the next turn to LastTurn, and from LastTurn to Promise.
func (q *Queue) lead(now time.Time) time.Duration {
	if q.ramp {
		return min(2*q.gap(now), longestLead)
	}
	return longestLead
}

// LastTurn returns the time at which a request behind all waiting requests may start.
func (q *Queue) LastTurn(now time.Time) time.Time {
	next := later(q.Turn(), now)
	ahead := float64(q.waiting.Len()) * q.gap(now).Seconds()
	return next.Add(time.Duration(min(ahead, q.lead(now).Seconds()) * float64(time.Second)))
}

// Promise returns the time at which a request that does not wait in the queue should try again. It
// spreads these times over at most a minute.
func (q *Queue) Promise(now time.Time) time.Time {
	next := q.LastTurn(now)
	isLate := q.promised.After(next.Add(q.lead(now)))
	if isLate || q.promised.Before(next) {
		q.promised = next
	}
	promised := q.promised
	q.promised = promised.Add(q.gap(now))
	return promised
}
