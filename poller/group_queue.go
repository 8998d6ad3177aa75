package poller

import "container/heap"

// A queue is a heap of members by the time at which their reads are begun; of
// those that are equal, the one that was added first comes first.
type queue []*member

// put adds m, or moves it where it belongs now.
func (q *queue) put(m *member) {
	if q.has(m) {
		heap.Fix(q, int(m.index))
		return
	}
	heap.Push(q, m)
}

// take takes m out, if it is there.
func (q *queue) take(m *member) {
	if q.has(m) {
		heap.Remove(q, int(m.index))
	}
}

// has compares because the index may be one in the queue of an earlier Wait.
func (q queue) has(m *member) bool { return int(m.index) < len(q) && q[m.index] == m }

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool {
	if q[i].begin != q[j].begin {
		return q[i].begin < q[j].begin
	}
	return q[i].seq < q[j].seq
}

func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = int32(i), int32(j)
}

// Push and Pop are for package heap only.

func (q *queue) Push(m any) {
	last := m.(*member)
	last.index = int32(len(*q))
	*q = append(*q, last)
}

func (q *queue) Pop() any {
	n := len(*q) - 1
	last := (*q)[n]
	(*q)[n] = nil
	*q = (*q)[:n]
	return last
}
