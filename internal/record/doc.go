// Package record defines the record of everything that is known about an operation, and decides how
// each response changes the record.
//
// The entry point is [Record.Apply]. It applies the [Reading] of one response to a Record and, if
// that ends the wait, returns the reason. [Record.Task] says what to read next, and [Record.Due]
// when. The JSON form of a Record is the resume token: [Record.Token] writes it, and [Parse] reads
// it. Parse also reads the tokens of azcore.
//
// The package knows about the phases of an operation, the tolerance for failures, the schedule of
// reads, and the format of tokens. It knows nothing about locks, goroutines or HTTP clients. It is
// pure: the same Record, Reading and times always have the same outcome. It is a package of its own
// so that a test can apply every event in every phase without a service. It never calls a strategy.
// If the strategy can still name another URL, Apply sets AskStrategy in its [Failure]. The caller
// then asks the strategy, and passes its answer to [Record.Replace].
//
// # Phases
//
// A [Phase] says what is left to read. Task returns the URL and the limit in the row of the current
// phase, and Apply chooses the next phase:
//
//	phase       reads                              limit                 next
//	unfollowed  nothing                                                  any, when resumed with options that can follow it
//	polling     the status: Poll, or Poll and      MaxStatusBytes, or    polling, reading, ended
//	            Else in turn                       MaxResultBytes after
//	                                               Move.Inline
//	reading     the result: the Result's URL       MaxResultBytes        reading, ended
//	ended       nothing                                                  reading, if a body that has a URL cannot be decoded
//
// The first response may lead to any phase. Only a token can be in phase unfollowed; a Poller never
// is, because New, Begin and Resume return an error instead. docs/moves.md has the whole table of
// phases and events; a test compares it with this package.
package record
