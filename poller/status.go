package poller

import (
	"math"
	"slices"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/poller/strategy"
)

// adoptStatus returns s in the form that a record stores: the texts are cut, and credentials in them
// are masked. This cannot change the State, which was derived from the original word.
func adoptStatus(s *Status, a *strategy.Answer) *Status {
	adopted := copyStatus(s, new(exchange.Cleaner))
	adopted.StatusCode = a.Code
	adopted.RequestID = exchange.RequestID(a.Header)
	adopted.CorrelationID = exchange.CorrelationID(a.Header)
	if i := strings.Index(a.Poll, adopted.ID); i >= 0 && adopted.ID != "" { // it "should match" that URL, and then shares its memory
		adopted.ID = a.Poll[i:][:len(adopted.ID)]
	}
	if !adopted.State.Terminal() {
		adopted.State = InProgress
	}
	adopted.NextPoll = time.Time{}
	adopted.ReadErr = nil
	if p := adopted.PercentComplete; p != nil && (math.IsNaN(*p) || math.IsInf(*p, 0)) {
		adopted.PercentComplete = nil // a token is JSON, which cannot represent NaN and infinity
	}
	return adopted
}

// copyStatus returns a deep copy of s in which c has cleaned all texts.
func copyStatus(s *Status, c *exchange.Cleaner) *Status {
	clean := *s
	for _, text := range []*string{&clean.Word, &clean.ID, &clean.Name, &clean.RequestID, &clean.CorrelationID} {
		*text = c.Text(*text)
	}
	clean.Error = c.Detail(s.Error)
	if s.PercentComplete != nil {
		clean.PercentComplete = new(*s.PercentComplete)
	}
	clean.Operations = slices.Clone(s.Operations)
	for i := range s.Operations {
		clean.Operations[i] = *copyStatus(&s.Operations[i], c)
	}
	return &clean
}

// unchanged is a Cleaner that leaves texts unchanged, for texts that are already clean.
var unchanged *exchange.Cleaner

// maxWord is the length, in bytes, to which a text is cut before it is passed to a Cleaner.
const maxWord = 1000

// clean cuts a text that a strategy returned, and masks credentials in it.
func clean(s string) string { return new(exchange.Cleaner).Text(s) }

// operationError returns the error of an operation that failed or was canceled.
func operationError(s *Status) *lroerrors.OperationError {
	return &lroerrors.OperationError{
		State:         string(s.State),
		Word:          s.Word,
		Detail:        unchanged.Detail(s.Error),
		StatusCode:    s.StatusCode,
		ID:            s.ID,
		Name:          s.Name,
		RequestID:     s.RequestID,
		CorrelationID: s.CorrelationID,
	}
}
