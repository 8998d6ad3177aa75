// Package engine follows one operation: it makes one read at a time, and waits between reads.
//
// The engine locks the operation, decides which caller may read, waits, and reads over HTTP. It knows
// nothing about groups, the type of a result, or the options of package poller. Package record decides
// how a response changes an operation. The engine is a separate package, so that the code that follows
// an operation has no type parameters and can be tested without options.
//
// Its entry points are [Begin], [New], [Resume] and [NewCore], which return a [Core]. Package poller
// calls the methods of a Core, both for a single wait and for the schedule of a group. A Core reads
// through a [Source], which is the HTTP source of this package or the source of a Watch. It calls an
// [Observer] when the time of the next read may have changed.
//
// # Locks
//
// A Core has one lock. It never holds that lock while the caller's code or an Observer runs, or while
// it waits for a response. Several callers may wait for the same operation, and one of them at a time
// has the turn to read. The turn is not a lock: a caller stops waiting for it when the caller's context
// ends.
package engine
