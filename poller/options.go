package poller

import (
	"log/slog"
	"net/http"
	"time"
)

// Options are those of [New], [Begin] and [Resume]. The zero Options, and nil,
// are the defaults. They are copied: changing them later changes nothing. An origin,
// a pointer or the URL of a [Check] that is none, and a FinalStateVia that is not of
// the constants, are an error of these functions.
type Options struct {
	Strategy      Strategy         // nil: [ARM], chosen by the response
	FinalStateVia FinalStateVia    // where the service's description says the result is; "" by the rules of the strategy
	ResultPointer string           // JSON pointer (RFC 6901) into the document that holds the result; "" the whole
	Words         map[string]State // further terminal words of this service, e.g. "Ready": Succeeded; case does not count; see [Answer.State]
	Cadence       Cadence          // how often the status is read
	Patience      Patience         // with a status that cannot be read
	Origins       []string         // such as "https://management.azure.com", that may be asked beside the first request's; Resume requires one
	Header        http.Header      // added to every request the poller sends; what Begin's request names itself stays

	// CancelRequest names the request that cancels the operation, for a protocol
	// that has none of its own, such as ARM. It is given the status last known,
	// and goes before the strategy's own way. A nil Request means that there is
	// no way now.
	CancelRequest func(Status) (*Request, error)

	// What no client can know by itself; see the package documentation. A token
	// holds none of them: give them to Resume too. Nil: the protocol alone decides.
	Confirm    *Check  // made after the operation has told success, which counts once this says so too
	CrossCheck *Check  // made when the status is lost, or goes on for too long; nil: of a DELETE whose status is gone
	Repeat     *Repeat // the request that began the operation, sent again on errors that the service calls retryable

	MaxStatusBytes int64 // of a status document; 0 or less: 4 MiB, the size of the largest answer that ARM lets through
	MaxResultBytes int64 // of a result, and of the first answer; 0 or less: 64 MiB

	// AnswerTime is how long one answer may take, its body included, until it is
	// a failed read, so that neither a dead connection nor one that trickles holds
	// up the wait. Each MiB that comes begins it anew. 0: 5 min; negative: as long
	// as the context lasts. Of the answer to Begin's request it bounds the body.
	AnswerTime time.Duration

	Logger *slog.Logger // a record at Debug for each read, see the package documentation; nil: none
}

// A Cadence says how often a status is read (asynchronous API reference, "202
// Accepted and Location Headers", step 3 and the bounds of Retry-After). Zero
// and negative fields mean the default. After a read that told no status Min and Max
// bound our own pauses only: a Retry-After is obeyed as it is given, up to a day.
type Cadence struct {
	Default time.Duration // where the service has never asked for a pause; 60 s; Min does not raise it
	Min     time.Duration // the shortest pause, whatever the service asks for, and the first of ours after a failed read; 10 s
	Max     time.Duration // the longest pause, whatever the service asks for, and Min at least; 10 min
}

// Patience says how long a status that cannot be read is borne: from the first
// failure of an unbroken run until both the time has passed and that many reads
// have failed. The zero Patience means the default; in any other each field
// means what it says, so that {0, 1} ends the wait at the first failure. It
// bounds the grace of a 404 too.
type Patience struct {
	Time     time.Duration // 30 min
	Failures int           // 5
}

// FinalStateVia names the place of a result, in the words of the
// x-ms-long-running-operation-options of a service's OpenAPI description.
type FinalStateVia string

// The values of [FinalStateVia]. They count for POST, where the rules of the
// package documentation leave a choice; [FinalStateViaLocation] for every verb
// after an Operation-Location; and [FinalStateViaOriginalURI] for every verb whose
// Location turned out to be an operation document.
const (
	FinalStateViaAzureAsyncOp FinalStateVia = "azure-async-operation" // the status document itself
	FinalStateViaLocation     FinalStateVia = "location"              // the URL of the Location header
	FinalStateViaOriginalURI  FinalStateVia = "original-uri"          // the URL of the first request
	FinalStateViaOpLocation   FinalStateVia = "operation-location"    // the status document itself
)

const (
	defaultStatusBytes = 4 << 20
	defaultResultBytes = 64 << 20
	retryAfterMax      = 24 * time.Hour // on a failed read
	graceTime          = 5 * time.Minute
	graceReads         = 3
)
