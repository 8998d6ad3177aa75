// Package engine follows one operation: it makes one read at a time, and waits between reads.
//
// The engine locks the operation, decides which caller may read, waits, and reads over HTTP. It
// does not schedule groups, and it does not depend on the result's type or on the options of
// package poller. Package record decides how a response changes an operation. The engine is a
// separate package so that this code has no type parameters and can be tested without options.
//
// The entry points are [Begin], [New], [Resume] and [NewCore], which return a [Core]. Package
// poller calls a Core's methods, both for a single wait and to schedule a group. A Core reads
// through a [Source], which is the HTTP source in this package or the source of a Watch. It
// notifies each [Observer] when the time of the next read may have changed or the turn to read
// becomes free.
//
// # Locks
//
// A Core has one lock. It never holds the lock while the caller's code or an Observer runs, or
// while it waits for a response. Several callers may wait for the same operation, but only one at a
// time has the turn to read. The turn is not a lock: a caller stops waiting for it when the
// caller's context ends.
package engine
