// Package engine follows one operation: it makes one read at a time, and waits between reads.
//
// It knows the lock of an operation, the turn to read, the wait, and how a read is made over HTTP.
// It does not know groups, the type of a result, or the options of package poller. What a response
// does to an operation is decided in package record.
//
// Its doors are [Begin], [New], [Resume] and [NewCore], which return a [Core]. The methods of a Core
// are called by package poller, for its own methods and for the schedule of a group. A Core reads
// through a [Source]: the HTTP source of this package, or a Watch. It calls an [Observer] when the
// time of the next read may have changed.
//
// # Locks
//
// A Core has one lock, which it never holds while the caller's code or an Observer runs, or while it
// waits for a response. The turn to read is not a lock: callers that wait for it also end with their
// contexts.
package engine
