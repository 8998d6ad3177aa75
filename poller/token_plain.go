package poller

import (
	"encoding/json"
	"errors"
	"strconv"
)

// The members that nearly every token has, for a scanner to fill in. A token with
// another is read by encoding/json; so is one with a value that is not plain.
// FuzzPlainToken holds the one to the other.

func (t *token) field(name []byte) (into json.Unmarshaler, bit uint) {
	switch string(name) {
	case "lro":
		return (*plainInt)(&t.Version), 1
	case "method":
		return (*plainText)(&t.Method), 1 << 1
	case "target":
		return (*plainText)(&t.Target), 1 << 2
	case "finalStateVia":
		return (*plainText)(&t.Via), 1 << 3
	case "created":
		return (*plainBool)(&t.Created), 1 << 4
	case "poll":
		return (*plainText)(&t.Poll), 1 << 5
	case "memo":
		return &t.Memo, 1 << 6
	case "status":
		return (*plainStatus)(&t.Status), 1 << 7
	case "read":
		return (*plainBool)(&t.Read), 1 << 8
	case "lastRead":
		return &t.LastRead, 1 << 9
	case "nextPoll":
		return &t.NextPoll, 1 << 10
	case "asked":
		return (*plainBool)(&t.Asked), 1 << 11
	case "retryAfterMs":
		return plainPause{&t.Given}, 1 << 12
	}
	return leftToJSON{}, 0
}

func (t *token) names() []string { return nil }

// plainStatus is a status that is plain. One that is no object is left to encoding/json.
type plainStatus tokenStatus

// UnmarshalJSON takes nothing: what is no object is left.
func (*plainStatus) UnmarshalJSON([]byte) error { return errLeft }

func (t *plainStatus) field(name []byte) (into json.Unmarshaler, bit uint) {
	switch string(name) {
	case "state":
		return (*plainText)(&t.State), 1
	case "word":
		return (*plainText)(&t.Word), 1 << 1
	case "percentComplete":
		return plainPercent{&t.Percent}, 1 << 2
	case "startTime":
		return &t.StartTime, 1 << 3
	case "endTime":
		return &t.EndTime, 1 << 4
	case "id":
		return (*plainText)(&t.ID), 1 << 5
	case "name":
		return (*plainText)(&t.Name), 1 << 6
	case "statusCode":
		return (*plainInt)(&t.StatusCode), 1 << 7
	case "requestId":
		return (*plainText)(&t.RequestID), 1 << 8
	case "correlationId":
		return (*plainText)(&t.CorrelationID), 1 << 9
	}
	return leftToJSON{}, 0
}

func (t *plainStatus) names() []string { return nil }

// errLeft leaves a value to encoding/json.
var errLeft = errors.New("not plain")

// leftToJSON is where a member goes that is not among the usual ones.
type leftToJSON struct{}

// UnmarshalJSON takes nothing.
func (leftToJSON) UnmarshalJSON([]byte) error { return errLeft }

type plainText string

func (p *plainText) UnmarshalJSON(b []byte) error {
	s := scanner{b: b}
	text, ok := s.plainString()
	if !ok {
		return errLeft
	}
	*p = plainText(text)
	return nil
}

type plainBool bool

func (p *plainBool) UnmarshalJSON(b []byte) error {
	*p = b[0] == 't'
	if b[0] != 't' && b[0] != 'f' {
		return errLeft
	}
	return nil
}

type plainInt int

func (p *plainInt) UnmarshalJSON(b []byte) error {
	n, err := strconv.Atoi(string(b))
	*p = plainInt(n)
	return err
}

// plainPause is where the milliseconds go that a service asked for.
type plainPause struct{ into **int64 }

func (p plainPause) UnmarshalJSON(b []byte) error {
	n, err := strconv.ParseInt(string(b), 10, 64)
	*p.into = &n
	return err
}

type plainPercent struct{ into **float64 }

func (p plainPercent) UnmarshalJSON(b []byte) error {
	f, err := strconv.ParseFloat(string(b), 64)
	*p.into = &f
	return err
}
