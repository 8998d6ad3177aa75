// Package engine follows one operation: it makes one read at a time, and waits between reads.
//
// It knows about the lock of an operation, whose turn it is to read, the wait, and reads over HTTP.
// It does not know about groups, the type of a result, or the options of package poller. Package
// record decides what a response does to an operation. It is a package of its own so that the code
// that follows an operation has no type parameters and can be tested without options.
//
// Its entry points are [Begin], [New], [Resume] and [NewCore], which return a [Core]. Package
// poller calls the methods of a Core, for its own methods and for the schedule of a group. A Core
// reads through a [Source]: the HTTP source of this package, or a Watch. It calls an [Observer]
// when the time of the next read may have changed.
//
// # Locks
//
// A Core has one lock, which it never holds while the caller's code or an Observer runs, or while
// it waits for a response. The turn to read is not a lock: a caller stops waiting for it when the
// caller's context ends.
package engine
