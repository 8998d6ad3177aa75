package poller

import (
	"cmp"
	"net/http"
	"time"
)

// state is what is known of an operation, and what a token holds.
type state struct {
	Method, Target string
	*rules

	Poll   string     // absolute
	memo   *knownMemo // of the last Move; nil: none
	Cancel *Request
	Status summary
	End    *success // of an operation that told success; not changed in place
	*extra          // nil: none

	LastRead time.Time     // when the last answer came, the first one included
	Next     time.Time     // when the next read is due
	Given    time.Duration // the pause that the service last asked for
	Failing  *failures     // nil: the last read told a status; not changed in place

	First *firstAnswer // of an operation that could not be followed yet

	Created  bool // the first answer was a 201 to a PUT
	Inline   bool // the next answer may hold the result
	Read     bool // a poll has told a status
	Now      bool // the next read is due at once: a cross-check
	Asked    bool // when it is due, the service said
	Paused   bool // it has asked for one
	Checking bool // the status is lost: a check is asked in its place
	Held     bool // no read may come before the next is due
}

func (s *state) done() bool { return s.Status.State.Terminal() }

// success is where the result of an operation is.
type success struct {
	Result        // URL absolute
	From   string // the URL that gave a result in hand
	Read   []byte // the document at the URL, where a check has just read it
}

// success is that of the operation, the zero one before it has succeeded.
func (s *state) success() success {
	if s.End == nil || !s.done() {
		return success{}
	}
	return *s.End
}

// failures is the run of reads that told no status.
func (s *state) failures() failures {
	if s.Failing == nil {
		return failures{}
	}
	return *s.Failing
}

// rules are what holds for all that is asked about an operation, the same for most.
// They are not changed.
type rules struct {
	Via     FinalStateVia
	Pointer string           // to the result within its document
	Words   map[string]State // beside the usual ones
	Header  http.Header      // of the first request, what travels with every poll
}

var usualRules rules

func makeRules(r rules) *rules {
	if r.Via == "" && r.Pointer == "" && len(r.Words)+len(r.Header) == 0 {
		return &usualRules
	}
	return new(r)
}

// with are the rules of the same service for what another request began.
func (r *rules) with(header http.Header) *rules {
	return makeRules(rules{r.Via, r.Pointer, r.Words, header})
}

// The caller's options go before what a token brought.

func (s *state) via(option FinalStateVia) FinalStateVia { return cmp.Or(option, s.Via) }

func (s *state) pointer(option string) string { return cmp.Or(option, s.Pointer) }

func (s *state) words(option map[string]State) map[string]State {
	if len(option) > 0 {
		return option
	}
	return s.Words
}
