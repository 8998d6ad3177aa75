package trace

import "net/http"

// An End is the outcome of an operation, as far as the check observed it.
type End string

// The outcomes of an operation.
const (
	Unfinished End = ""          // the check did not observe the end
	Refused    End = "refused"   // the service refused the request that starts the operation, or did not respond to it
	Succeeded  End = "succeeded" // as reported by the status, or by the first response if the operation completed at once
	Failed     End = "failed"
	Canceled   End = "canceled"
	Silent     End = "silent" // the status could not be read, was a foreign word (see Foreign), or stayed in progress although the resource showed the end
)

// An Operation is a long-running operation, a call that the service completed at once, or a read.
type Operation struct {
	Method, URL string      // of the request that starts the operation
	Resource    string      // the URL of the resource; "" if it is unknown or the operation has no resource
	Listing     bool        // whether the request is a GET and was sent; true for one resource as well as for a listing
	Exchanges   []*Exchange // in the order in which they were sent
	End         End
	Polled      string // the Source of the status that decides when the operation has ended; "" if no status is read, for example because the operation completed at once
}

// Add appends an exchange.
func (op *Operation) Add(x *Exchange) { op.Exchanges = append(op.Exchanges, x) }

// Ended reports whether the check of op is complete: Listing is set, or End is neither Unfinished
// nor Refused.
func (op *Operation) Ended() bool { return op.Listing || op.End != Unfinished && op.End != Refused }

// First returns the exchange that started the operation, or nil if there is none. If the request
// was retried, First returns the last attempt.
func (op *Operation) First() *Exchange {
	starts := op.Select(func(x *Exchange) bool { return x.Role == Start })
	if len(starts) == 0 {
		return nil
	}
	return starts[len(starts)-1]
}

// Select returns the exchanges for which the function keep returns true.
func (op *Operation) Select(keep func(*Exchange) bool) (kept []*Exchange) {
	for _, x := range op.Exchanges {
		if keep(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

// Reads returns the exchanges with the given role and phase.
func (op *Operation) Reads(role Role, phase Phase) []*Exchange {
	return op.Select(func(x *Exchange) bool { return x.Role == role && x.Phase == phase })
}

// Statuses returns the reads of the status that have the given Source, such as the header
// "Location".
func (op *Operation) Statuses(source string) []*Exchange {
	return op.Select(func(x *Exchange) bool { return x.Role == Status && x.Source == source })
}

// Previous returns the last exchange before x for which the function same returns true, or nil.
func (op *Operation) Previous(x *Exchange, same func(*Exchange) bool) (previous *Exchange) {
	for _, other := range op.Exchanges {
		if other == x {
			return previous
		}
		if same(other) {
			previous = other
		}
	}
	return nil
}

// Later returns the exchanges after x.
func (op *Operation) Later(x *Exchange) []*Exchange {
	for i, other := range op.Exchanges {
		if other == x {
			return op.Exchanges[i+1:]
		}
	}
	return nil
}

// Created reports whether the resource did not exist before the operation.
func (op *Operation) Created() bool { return op.before() == http.StatusNotFound }

// Updated reports whether the resource existed before the operation.
func (op *Operation) Updated() bool { return op.before() == http.StatusOK }

// before returns the status code of the last read of the resource before the operation, or 0.
func (op *Operation) before() int {
	reads := op.Reads(Resource, Before)
	if len(reads) == 0 {
		return 0
	}
	return reads[len(reads)-1].StatusCode
}
