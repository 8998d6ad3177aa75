package poller

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
)

const (
	tokenVersion = 1
	maxToken     = 64 << 10
	maxPauseMs   = int64(math.MaxInt64 / time.Millisecond)
)

// A token is the text form of a state: JSON, independent of Go types. Members
// that a reader does not know are passed over, so a later release may add some;
// a change of meaning is a new version. It holds no credential: of the headers
// only those that travel with every poll.
type token struct {
	Version int               `json:"lro"` // 1
	Method  string            `json:"method,omitempty"`
	Target  string            `json:"target,omitempty"` // URL of the first request
	Header  map[string]string `json:"header,omitempty"`
	Via     FinalStateVia     `json:"finalStateVia,omitempty"`
	Pointer string            `json:"resultPointer,omitempty"`
	Words   map[string]State  `json:"words,omitempty"`
	Created bool              `json:"created,omitempty"` // the first answer was a 201 to a PUT

	Poll     string          `json:"poll,omitempty"` // URL of the next read
	Inline   bool            `json:"inline,omitempty"`
	Memo     json.RawMessage `json:"memo,omitempty"` // the strategy's
	Cancel   *Request        `json:"cancel,omitempty"`
	Status   tokenStatus     `json:"status"`
	Read     bool            `json:"read,omitempty"`     // a poll has told a status
	Checking bool            `json:"checking,omitempty"` // the resource is asked in place of the status

	Unread     bool           `json:"unread,omitempty"`     // it is, because that could not be read
	Confirming bool           `json:"confirming,omitempty"` // it told success, which Options.Confirm has yet to confirm
	Held       bool           `json:"held,omitempty"`       // no read may come before nextPoll
	Readings   *tokenReadings `json:"readings,omitempty"`   // of a check, in a row
	Began      time.Time      `json:"began,omitzero"`       // the operation, where CrossCheck.After is set
	Repeat     *tokenRepeat   `json:"repeat,omitempty"`     // of the request that began it

	LastRead time.Time `json:"lastRead"`
	NextPoll time.Time `json:"nextPoll"`
	Asked    bool      `json:"asked,omitempty"`
	Given    *int64    `json:"retryAfterMs,omitempty"` // as last given
	Failures *failures `json:"failures,omitempty"`

	Result *tokenResult `json:"result,omitempty"`     // of an operation that succeeded
	From   string       `json:"resultFrom,omitempty"` // the URL that gave a result in hand
	First  *tokenFirst  `json:"first,omitempty"`      // of one that could not be followed yet
}

type tokenStatus struct {
	State         State             `json:"state"`
	Word          string            `json:"word,omitempty"`
	Percent       *float64          `json:"percentComplete,omitempty"`
	StartTime     time.Time         `json:"startTime,omitzero"`
	EndTime       time.Time         `json:"endTime,omitzero"`
	ID            string            `json:"id,omitempty"`
	Name          string            `json:"name,omitempty"`
	Error         *lroerrors.Detail `json:"error,omitempty"`
	Operations    []tokenStatus     `json:"operations,omitempty"`
	StatusCode    int               `json:"statusCode,omitempty"`
	RequestID     string            `json:"requestId,omitempty"`
	CorrelationID string            `json:"correlationId,omitempty"`
}

type tokenResult struct {
	URL    string `json:"url,omitempty"`
	Body   string `json:"body,omitempty"`   // JSON as the service wrote it
	Base64 []byte `json:"base64,omitempty"` // the same where it is not UTF-8
	Error  string `json:"error,omitempty"`  // why there is none
}

func (t *tokenResult) result() Result {
	switch {
	case t.Error != "":
		return Result{Err: errors.New(t.Error)}
	case len(t.Base64) > 0:
		return Result{URL: t.URL, Body: t.Base64}
	}
	return Result{URL: t.URL, Body: json.RawMessage(t.Body)}
}

type tokenFirst struct {
	URL    string      `json:"url"`
	Code   int         `json:"code"`
	Header http.Header `json:"header,omitempty"`
	Body   []byte      `json:"body,omitempty"` // base64
	Broken bool        `json:"broken,omitempty"`
}
