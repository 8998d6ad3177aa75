// Package record defines the Record, which holds everything known about an operation. The package
// decides how each response changes a Record.
//
// The entry point is [Record.Apply]. It applies the [Reading] of one response to a Record. If the
// response has no status or result, Apply returns a [Failure], which says whether the wait ends.
// [Record.Task] returns the URL to read next, and [Record.Due] returns when to read it. The JSON
// form of a Record is the resume token, which [Record.Token] writes and [Parse] reads. Parse also
// reads azcore's tokens.
//
// The package handles the phases of an operation, the tolerance for failures, the schedule of
// reads, and the format of tokens. It does not deal with locks, goroutines or HTTP clients. It is
// pure: the same Record, Reading, Rules and times always have the same outcome. It is a separate
// package so that a test can apply every event in every phase without a service. It never calls a
// strategy. If the strategy can still name another URL, Apply sets AskStrategy in the Failure. The
// caller then asks the strategy and passes its answer to [Record.Replace].
//
// # Phases
//
// A [Phase] says what is left to read. This table shows what is read in each phase, the size limit
// of the response, and the phases that may follow. It uses the phase names that tokens contain:
//
//	phase       reads                              limit                 next
//	unfollowed  nothing                                                  any, when resumed with options that can follow the operation
//	polling     the status: Poll, or Poll and      MaxStatusBytes, or    polling, reading, ended
//	            Else in turn                       MaxResultBytes after
//	                                               Move.Inline
//	reading     the result: the Result's URL       MaxResultBytes        reading, ended, or polling after Reading.NotSucceeded
//	ended       nothing                                                  reading, if the result cannot be decoded but has a URL
//
// The first response may lead to any phase. If the options cannot follow the operation, New, Begin
// and Resume return an error instead of a Poller, so only a token can contain a Record in phase
// unfollowed. docs/moves.md has the complete table of phases and events, which a test compares with
// this package.
package record
