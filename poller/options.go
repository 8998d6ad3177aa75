package poller

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lro-go/lro/internal/engine"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/record"
	"github.com/lro-go/lro/internal/redact"
	"github.com/lro-go/lro/internal/wire"
	"github.com/lro-go/lro/poller/arm"
)

// Options configure [New], [Begin] and [Resume], which copy them and reject an invalid origin or
// JSON pointer, an unknown FinalStateVia, and a Strategy whose Validate method fails. Nil Options
// mean the defaults. In all options of this module, 0 means the default. A negative limit, such as
// Cadence.Max, means no limit. A negative count, pause or Patience.Time means zero.
type Options struct {
	Strategy      Strategy      // the protocol; [arm.Auto] by default, which chooses one based on the first response; see also [Confirm] and [CrossCheck]
	FinalStateVia FinalStateVia // the final-state-via in the service's OpenAPI description; none by default
	ResultPointer string        // JSON pointer (RFC 6901) to the result within its document; the whole document by default

	// Words maps a service's own status words, such as "Ready", to states; none by default. They
	// take precedence over the usual words; see [State]. Case does not matter. The key "" stands
	// for a 200 without a body, which some services send when an operation has ended (quirk W6).
	Words map[string]State

	// AcceptEarly accepts a resource as the result whatever its provisioningState is. By default, a
	// resource whose state is Creating, Updating or the like is read again for at most 10 min. A creation fails
	// if its resource says Failed or Canceled for 10 min. [Confirm] replaces these reads.
	AcceptEarly bool

	Cadence  Cadence  // how often the status is read
	Patience Patience // how long failed reads are tolerated

	// Origins lists allowed origins, such as "https://management.azure.com", in addition to the
	// first request's origin; none by default. [Resume] allows only these. The poller follows a URL
	// from the service only to an allowed origin, never from https to http, and never with
	// user-info. If the first request used https, the poller changes an http URL of an allowed host
	// to https, provided that the URL and the allowed origin use default ports (quirk W61).
	Origins []string

	// Header is added to each request that the poller sends; none by default. Headers of Begin's
	// own request take precedence. If the Doer does not add Authorization, set it here: from the
	// first request, polls copy only the client request id, the correlation id and Accept-Language.
	Header http.Header

	// CancelRequest returns the request that cancels the operation, for a protocol that does not
	// define one, such as ARM; none by default. It receives the last known status, whose ID is ""
	// until a read has reported one. It may call the poller's URL method: declare the poller before
	// you call Begin, as in the Example of [Poller.Cancel]. CancelRequest takes precedence over a
	// [strategy.Canceler]. A nil Request means that the operation cannot be canceled now. A
	// relative URL is resolved against the URL of the first request. Beware of using a URL from a
	// response: the service then decides what the request changes.
	CancelRequest func(Status) (*Request, error)

	MaxStatusBytes int64 // limits the size of a status document; 4 MiB by default, the largest response that ARM allows
	MaxResultBytes int64 // limits the size of the result and of the first response; 64 MiB by default

	// ResponseTimeout limits the time for each response and its body; 5 min by default. For Begin's
	// request, it limits only the time for the body. The time starts over after each MiB.
	ResponseTimeout time.Duration

	// Logger receives one record for each read, at level Debug, with the context of the call that
	// made the read; none by default. docs/README.md lists the records. Reads that the context
	// interrupts are not logged, nor is the first request, which package transport can log. No
	// record contains a query, a credential or a token.
	Logger *slog.Logger
}

// A Cadence sets how often the status is read (asynchronous API reference, "202 Accepted and
// Location Headers", step 3 and the bounds of Retry-After).
//
// After a response that reports a status, the pause is its Retry-After, or else the operation's
// last Retry-After, but at least Min and at most Max. If the service has never sent one, the pause
// is First or Default. After a failed read, the pause is its Retry-After, up to a day, or else a
// back-off that doubles from Min to Max. A resumed poller continues at the same pace.
//
// If the service asked for a pause beyond the context's deadline, the wait ends at once with a
// [*lroerrors.WaitError] whose Asked is set. If the poller chose such a pause itself, it shortens
// the pause, but not below Min, to leave a tenth of the time from the last read to the deadline for
// the response. Schedules use the wall clock. A wait checks it at least once a minute, in case the
// machine was suspended.
type Cadence struct {
	First   time.Duration // the first pause if the service does not ask for one; later pauses double until they reach Default; none by default, so that all pauses are Default
	Default time.Duration // the pause if the service does not ask for one; 1 min by default

	// Min is the shortest pause after a status, even if the service asks for less. It is also the
	// first back-off after a failed read (1 s if Min is negative) and the shortest time between
	// early reads after WakeUp. 10 s by default, or First or Default if set and smaller.
	Min time.Duration

	Max time.Duration // the longest pause, even if a response that reports a status asks for a longer one; 10 min by default, and at least Min
}

// Patience sets how long failed reads are tolerated. The wait ends once at least Failures reads in
// a row have failed over a period of at least Time. Only the reads and the scheduled pauses between
// them use up Time, not downtime or suspended time. Patience{Time: -1} tolerates no failed read.
// Before the wait ends, a [CrossCheck] also reads the resource, and the time and the failures start
// again from zero. The default strategy does the same after a DELETE or a creation. With the
// defaults, the wait then ends after up to an hour of failed reads.
//
// A read fails, and does not change the known status, if it gets no response or a 206, 408, 424 or
// 5xx, or if the body is unreadable or too large. An empty body that ends because the connection
// closes is unreadable. A 403 on a resource that was just created is a failure. Within Patience, a
// 404 is tolerated for 5 minutes and at least 3 reads.
//
// A 429, or a 503 with Retry-After, is not a failure: it postpones the next read. The wait ends if
// the service sends nothing else for the time that Throttled sets. A 401 is retried once within the
// same read. Any other 4xx, an invalid certificate, or a URL whose origin is not allowed ends the
// wait right away. At a Location, however, 400, 402, 409, 412 and 422 mean that the operation
// failed, unless the body is HTML or broken JSON.
type Patience struct {
	Time      time.Duration // how long failures may last; 30 min by default
	Failures  int           // how many reads in a row must fail before the wait can end; 5 by default, or 1 if Time is negative
	Throttled time.Duration // how long the service may send nothing but 429s, and 503s with Retry-After; 24 h by default
}

const (
	defaultStatusBytes = 4 << 20
	defaultResultBytes = 64 << 20
)

// defaults returns the settings that all callers without options share.
var defaults = sync.OnceValue(func() *engine.Settings {
	s, _ := new(Options).settings() // the zero Options are valid
	return s
})

// settings copies the options and fills in the defaults. Even if it returns an error, the returned
// Settings suffice to write a token.
func (o *Options) settings() (*engine.Settings, error) {
	s := &engine.Settings{
		HTTPSettings: engine.HTTPSettings{
			Strategy: o.Strategy,
			TokenOptions: record.TokenOptions{
				Via:     FinalStateVia(strings.ToLower(string(o.FinalStateVia))),
				Pointer: o.ResultPointer,
				Words:   record.LowerWords(o.Words),
			},
			CancelRequest: o.CancelRequest,
			AcceptEarly:   o.AcceptEarly,
			StatusLimit:   wire.Limit{Name: "MaxStatusBytes", Bytes: limitOf(o.MaxStatusBytes, defaultStatusBytes), Time: cmp.Or(o.ResponseTimeout, wire.ResponseTimeout)},
			ResultLimit:   wire.Limit{Name: "MaxResultBytes", Bytes: limitOf(o.MaxResultBytes, defaultResultBytes), Time: cmp.Or(o.ResponseTimeout, wire.ResponseTimeout)},
		},
		Rules:  record.Rules{Cadence: o.Cadence.rules(), Patience: o.Patience.rules()},
		Logger: loggerOr(o.Logger),
	}
	if s.Strategy == nil {
		s.Strategy = arm.Auto
	}
	if len(o.Header) > 0 {
		s.Header = http.Header{}
		wire.AddHeaders(s.Header, o.Header)
	}
	var err error
	s.Origins, err = exchange.NewOrigins(o.Origins)
	if err != nil {
		return s, err
	}
	return s, validate(s)
}

// rules returns the Cadence with its defaults filled in.
func (c Cadence) rules() record.Cadence {
	r := record.Cadence{First: max(c.First, 0), Default: countOf(c.Default, time.Minute), Max: limitOf(c.Max, 10*time.Minute)}
	shortest := 10 * time.Second
	for _, pause := range []time.Duration{r.First, r.Default} {
		if pause > 0 {
			shortest = min(shortest, pause)
		}
	}
	r.Min = countOf(c.Min, shortest)
	r.Default = cmp.Or(r.Default, r.Min)
	r.Max = max(r.Max, r.Min)
	return r
}

// rules returns the Patience with its defaults filled in.
func (p Patience) rules() record.Patience {
	failures := 5
	if p.Time < 0 {
		failures = 1
	}
	return record.Patience{
		Time:      countOf(p.Time, patienceTime),
		Failures:  countOf(p.Failures, failures),
		Throttled: limitOf(p.Throttled, 24*time.Hour),
	}
}

// patienceTime is the default of Patience.Time.
const patienceTime = 30 * time.Minute

func validate(s *engine.Settings) error {
	if err := record.CheckResultPointer(s.TokenOptions.Pointer); err != nil {
		return fmt.Errorf("lro: ResultPointer: %w", err)
	}
	switch s.TokenOptions.Via {
	case "", FinalStateViaAzureAsyncOp, FinalStateViaLocation, FinalStateViaOriginalURI, FinalStateViaOpLocation:
	default:
		return fmt.Errorf("lro: FinalStateVia %q is not one of the FinalStateVia constants", s.TokenOptions.Via)
	}
	if v, ok := s.Strategy.(interface{ Validate() error }); ok {
		return v.Validate()
	}
	return nil
}

// countOf returns the effective value of a count or a pause: v, def if v is 0, or 0 if v is
// negative.
func countOf[T ~int | ~int64](v, def T) T { return max(cmp.Or(v, def), 0) }

// limitOf returns the effective value of a limit: v, def if v is 0, or no limit if v is negative.
func limitOf[T ~int64](v, def T) T {
	if v < 0 {
		return math.MaxInt64 / 2 // half the maximum, so that sums do not overflow
	}
	return cmp.Or(v, def)
}

var noLogger = slog.New(slog.DiscardHandler)

func loggerOr(l *slog.Logger) *slog.Logger {
	if l == nil {
		return noLogger
	}
	return l
}

// String describes the options without header values.
func (o Options) String() string {
	return fmt.Sprintf("{Strategy:%s FinalStateVia:%s ResultPointer:%s Words:%v Cadence:%+v Patience:%+v AcceptEarly:%t Origins:%v Header:%v MaxStatusBytes:%d MaxResultBytes:%d ResponseTimeout:%s}",
		strategyName(o.Strategy), redact.Text(string(o.FinalStateVia)), redact.Text(o.ResultPointer), o.Words, o.Cadence, o.Patience, o.AcceptEarly,
		redact.RawURLs(o.Origins), slices.Sorted(maps.Keys(o.Header)), o.MaxStatusBytes, o.MaxResultBytes, o.ResponseTimeout)
}

// GoString returns the same text as String, so %#v prints no header values.
func (o Options) GoString() string { return o.String() }

// strategyName returns the strategy's own name if it has one, or else its type.
func strategyName(s Strategy) string {
	if named, ok := s.(interface{ ProtocolName() string }); ok {
		return redact.Text(named.ProtocolName())
	}
	return fmt.Sprintf("%T", s)
}
