package poller

import (
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/internal/wire"
)

// Options configure [New], [Begin] and [Resume]. The zero Options, and nil, mean
// the defaults. They are copied: later changes have no effect. These functions
// reject an invalid origin or JSON pointer, a FinalStateVia that is not one of the
// constants, and whatever the Strategy's own Validate method rejects.
type Options struct {
	Strategy      Strategy         // nil: [ARM], which chooses by the response; see [Confirm] and [CrossCheck] too
	FinalStateVia FinalStateVia    // where the service's description says the result is; "": the strategy's own rules
	ResultPointer string           // JSON pointer (RFC 6901) to the result within its document; "": the whole document
	Words         map[string]State // further words of this service, such as "Ready": Succeeded, in any case; see [Answer.State]
	Cadence       Cadence          // how often the status is read
	Patience      Patience         // how long unreadable statuses are tolerated
	Origins       []string         // further origins that may be read, such as "https://management.azure.com"; Resume requires them. The Token function of package transport decides which of them get a token
	Header        http.Header      // added to every request that the poller sends, where Begin's request does not name them itself

	// CancelRequest returns the request that cancels the operation, for a
	// protocol that defines none, such as ARM. It receives the last known
	// status and takes precedence over the strategy's own [Canceler]. A nil
	// Request means that the operation cannot be canceled now. Its URL must not
	// be taken from what the service says, unless the service may choose what
	// is written.
	CancelRequest func(Status) (*Request, error)

	MaxStatusBytes int64 // of a status document; 0 or less: 4 MiB, the largest response that ARM lets through
	MaxResultBytes int64 // of a result and of the first response; 0 or less: 64 MiB

	// ResponseTimeout bounds one response, including its body: a response that
	// does not arrive in time is a failed read, so that neither a dead connection
	// nor one that trickles holds up the wait. Each MiB received restarts it. 0
	// means 5 min; a negative value means as long as the context lasts. Of the
	// response to Begin's request it bounds the body.
	ResponseTimeout time.Duration

	Logger *slog.Logger // one record at level Debug for each read, see the package documentation; nil: none
}

// A Cadence says how often a status is read (asynchronous API reference, "202
// Accepted and Location Headers", step 3 and the bounds of Retry-After). Zero and
// negative fields mean the defaults. After a failed read, Min and Max bound only
// the back-off: a Retry-After is obeyed as given, up to a day.
type Cadence struct {
	// First is the first pause if the service does not ask for one. Each further pause is
	// twice as long, up to Default; a poller that is resumed continues there. A pause that
	// the service asks for takes precedence. Without First, every pause is Default.
	First time.Duration

	Default time.Duration // used until the service asks for a pause; 60 s; Min does not raise it

	// Min is the shortest pause, even if the service asks for less, the first back-off after
	// a failed read, and the time in which WakeUp makes at most one read early. Its default
	// is 10 s, or First or Default where one of these is set and smaller.
	Min time.Duration

	Max time.Duration // the longest pause, even if the service asks for more; 10 min, and at least Min
}

// Patience says how long an unbroken run of failed reads is tolerated: until
// both the Time has been spent and that many reads have failed. Time counts the
// reads and the scheduled pauses between them, so that neither downtime nor a
// suspended machine spends it. The zero Patience means the defaults; in any other,
// each field means what it says, so that {0, 1} ends the wait at the first failed
// read. Patience bounds the grace period of a 404 too.
type Patience struct {
	Time     time.Duration // 30 min
	Failures int           // 5
}

// FinalStateVia says where a result is, in the words of
// x-ms-long-running-operation-options in a service's OpenAPI description.
type FinalStateVia string

// The values of [FinalStateVia]. They apply to POST, where the rules in the
// package documentation leave a choice. [FinalStateViaLocation] applies to every
// verb after an Operation-Location, and [FinalStateViaOriginalURI] to every verb
// whose Location turned out to be an operation document.
const (
	FinalStateViaAzureAsyncOp FinalStateVia = "azure-async-operation" // the status document itself
	FinalStateViaLocation     FinalStateVia = "location"              // the URL of the Location header
	FinalStateViaOriginalURI  FinalStateVia = "original-uri"          // the URL of the first request
	FinalStateViaOpLocation   FinalStateVia = "operation-location"    // the status document itself
)

const (
	defaultStatusBytes = 4 << 20
	defaultResultBytes = 64 << 20
)

// settings are Options with the defaults filled in. They are resolved once, in
// New, Begin or Resume, and never changed.
type settings struct {
	Options
	origins wire.Origins
	watched *watched // of a Watch; nil otherwise
}

// defaults are shared by all callers without options.
var defaults = sync.OnceValue(func() *settings {
	s := settingsOf(Options{})
	_ = s.validate()
	return s
})

// resolve copies opts, fills in the defaults and rejects mistakes. With an error
// the settings can still be used to keep an operation that was accepted.
func resolve(opts *Options) (*settings, error) {
	if opts == nil {
		return defaults(), nil
	}
	s := settingsOf(*opts)
	return s, s.validate()
}

func settingsOf(opts Options) *settings {
	s := &settings{Options: opts}
	if s.Strategy == nil {
		s.Strategy = ARM
	}
	s.Words = lowerWords(s.Words)
	s.Header, s.Origins = http.Header{}, slices.Clone(s.Origins)
	wire.AddHeaders(s.Header, opts.Header)
	c := &s.Cadence
	c.First, c.Default = max(c.First, 0), orDefault(c.Default, time.Minute)
	c.Min = orDefault(c.Min, min(10*time.Second, orDefault(c.First, c.Default), c.Default))
	c.Max = max(orDefault(c.Max, 10*time.Minute), c.Min)
	if s.Patience == (Patience{}) {
		s.Patience = Patience{Time: 30 * time.Minute, Failures: 5}
	}
	if s.Logger == nil {
		s.Logger = noLogger
	}
	return s
}

func (s *settings) statusLimit() wire.Limit {
	return wire.Limit{Name: "MaxStatusBytes", Bytes: orDefault(s.MaxStatusBytes, defaultStatusBytes), Time: s.ResponseTimeout}
}

func (s *settings) resultLimit() wire.Limit {
	return wire.Limit{Name: "MaxResultBytes", Bytes: orDefault(s.MaxResultBytes, defaultResultBytes), Time: s.ResponseTimeout}
}

// validate rejects invalid options, and resolves the origins.
func (s *settings) validate() (err error) {
	if s.origins, err = wire.NewOrigins(s.Origins); err != nil {
		return err
	}
	if err := checkResultPointer(s.ResultPointer); err != nil {
		return fmt.Errorf("lro: ResultPointer: %w", err)
	}
	s.FinalStateVia = FinalStateVia(strings.ToLower(string(s.FinalStateVia)))
	if !slices.Contains([]FinalStateVia{"", FinalStateViaAzureAsyncOp, FinalStateViaLocation, FinalStateViaOriginalURI, FinalStateViaOpLocation}, s.FinalStateVia) {
		return fmt.Errorf("lro: FinalStateVia %q is not one of the FinalStateVia constants", s.FinalStateVia)
	}
	return validate(s.Strategy)
}

// maxPointer bounds how deep a result may be within its document: each level
// costs a pass over what is below it, and a token may name any pointer.
const maxPointer = 100

func checkResultPointer(ptr string) error {
	if strings.Count(ptr, "/") > maxPointer {
		return fmt.Errorf("JSON pointer has more than %d levels", maxPointer)
	}
	return CheckPointer(ptr)
}

func orDefault[T ~int64](v, def T) T {
	if v <= 0 {
		return def
	}
	return v
}

var noLogger = slog.New(slog.DiscardHandler)

func lowerWords(words map[string]State) map[string]State {
	if len(words) == 0 {
		return nil
	}
	lower := make(map[string]State, len(words))
	for word, s := range words {
		lower[strings.ToLower(strings.TrimSpace(word))] = s
	}
	return lower
}

// String describes options without the values of headers.
func (o Options) String() string {
	return fmt.Sprintf("{Strategy:%s FinalStateVia:%s ResultPointer:%s Words:%v Cadence:%+v Patience:%+v Origins:%v Header:%v MaxStatusBytes:%d MaxResultBytes:%d ResponseTimeout:%s}",
		strategyName(o.Strategy), redact.Text(string(o.FinalStateVia)), redact.Text(o.ResultPointer), o.Words, o.Cadence, o.Patience,
		redact.RawURLs(o.Origins), slices.Sorted(maps.Keys(o.Header)), o.MaxStatusBytes, o.MaxResultBytes, o.ResponseTimeout)
}

// GoString returns the same text, because %#v would print header values.
func (o Options) GoString() string { return o.String() }

// strategyName returns the name of an ARM strategy, or else the type of a strategy.
func strategyName(s Strategy) string {
	if arm, ok := s.(armStrategy); ok {
		return string(arm)
	}
	return fmt.Sprintf("%T", s)
}
