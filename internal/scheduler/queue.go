package scheduler

import "container/heap"

// A queue is a heap whose elements store their positions, so that they can be moved and removed.
type queue[E entry[E]] []E

type entry[E any] interface {
	comparable
	before(E) bool
	position() *int32
}

// put adds e, or moves it to its new position.
func (q *queue[E]) put(e E) {
	if q.has(e) {
		heap.Fix(q, int(*e.position()))
		return
	}
	heap.Push(q, e)
}

// take removes e if it is in the queue.
func (q *queue[E]) take(e E) {
	if q.has(e) {
		heap.Remove(q, int(*e.position()))
	}
}

// has reports whether e is in the queue. It compares the elements, because the position stored in e
// may belong to another queue.
func (q queue[E]) has(e E) bool {
	i := int(*e.position())
	return i < len(q) && q[i] == e
}

func (q queue[E]) Len() int           { return len(q) }
func (q queue[E]) Less(i, j int) bool { return q[i].before(q[j]) }

func (q queue[E]) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	*q[i].position() = int32(i)
	*q[j].position() = int32(j)
}

// Push and Pop implement [heap.Interface]. Only package heap calls them.

func (q *queue[E]) Push(e any) {
	last := e.(E)
	*last.position() = int32(len(*q))
	*q = append(*q, last)
}

func (q *queue[E]) Pop() any {
	n := len(*q) - 1
	last := (*q)[n]
	clear((*q)[n:])
	*q = (*q)[:n]
	return last
}
