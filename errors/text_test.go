package errors_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/stretchr/testify/require"
)

var (
	busy   = &detail{Code: "Busy", Message: "try later"}
	noon   = time.Date(2026, 2, 3, 12, 0, 0, 0, time.FixedZone("", 3600))
	urlErr = &url.Error{Op: "Get", URL: "https://u:SECRET@a.test/ops/7?sig=SECRET", Err: errors.New("connection refused")}
)

func TestErrorTexts(t *testing.T) {
	tests := []struct {
		err  error
		want string
	}{
		{&lroerrors.StatusError{Method: "GET", URL: "https://a.test/ops/7", StatusCode: 409, Detail: busy}, "lro: GET https://a.test/ops/7: 409 Conflict: Busy: try later"},
		{&lroerrors.StatusError{Method: "GET", URL: "https://a.test/ops/7", StatusCode: 502}, "lro: GET https://a.test/ops/7: 502 Bad Gateway: no error body"},
		{&lroerrors.StatusError{Method: "GET", URL: "https://a.test/ops/7", StatusCode: 502, Detail: &detail{}}, "lro: GET https://a.test/ops/7: 502 Bad Gateway: no error body"},
		{&lroerrors.StatusError{StatusCode: 599, RequestID: "r1"}, "lro: 599: no error body (request id r1)"},
		{&lroerrors.StatusError{StatusCode: 200, Err: errors.New("not JSON")}, "lro: 200 OK: not JSON"},
		{&lroerrors.StatusError{Method: "GET", URL: "https://a.test/ops/7", Attempts: 3, Err: urlErr}, "lro: GET https://a.test/ops/7: 3 attempts: connection refused"},
		{&lroerrors.StatusError{Attempts: 1, StatusCode: 429, Detail: busy, Err: errors.New("body cut short")}, "lro: 429 Too Many Requests: Busy: try later: body cut short"},
		{&lroerrors.StatusError{Method: "GET", URL: "https://a.test/ops/7"}, "lro: GET https://a.test/ops/7: no response"},
		{&lroerrors.StatusError{}, "lro: no response"},
		{&lroerrors.StatusError{Method: "GET", URL: "/ops/7?SECRET"}, "lro: GET /ops/7: no response"},
		{&lroerrors.StatusError{Method: "GET", URL: "?SECRET"}, "lro: GET: no response"},
		{&lroerrors.StatusError{URL: "pull request #12, done?"}, "lro: pull request #12, done?: no response"},
		{&lroerrors.WaitError{URL: "o/r#12", Reason: lroerrors.ReasonGone}, "lro: stopped waiting for o/r#12 (Gone): its status is gone: the operation has expired, or this identity cannot see it after 0 polls in 0s"},
		{&lroerrors.StatusError{Method: "GET", URL: "https://u:p@a.test/ops/7#SECRET"}, "lro: GET https://a.test/ops/7: no response"},
		{&lroerrors.StatusError{Err: &lroerrors.StatusError{Err: urlErr}}, "lro: connection refused"},
		{&lroerrors.StatusError{Err: fmt.Errorf("token: %w", urlErr)}, `lro: token: Get "https://a.test/ops/7?REDACTED": connection refused`},
		{&lroerrors.StatusError{Err: &url.Error{Op: "Get", URL: "/x", Err: urlErr}}, "lro: connection refused"},

		{&lroerrors.OperationError{State: "Failed", Word: "failed", Detail: busy, RequestID: "r1"}, "lro: operation Failed: Busy: try later (request id r1)"},
		{&lroerrors.OperationError{State: "Canceled", Word: "Cancelled"}, `lro: operation Canceled ("Cancelled"): the service gave no reason`},
		{&lroerrors.OperationError{State: "Failed", Detail: &detail{}}, "lro: operation Failed: the service gave no reason"},

		{&lroerrors.ResultError{URL: "https://a.test/w", Err: &lroerrors.StatusError{StatusCode: 404}}, "lro: operation succeeded, but its result could not be read: 404 Not Found: no error body; read the result again"},
		{&lroerrors.ResultError{}, "lro: operation succeeded, but its result could not be read; read the result again"},

		{
			&lroerrors.WaitError{
				Reason: lroerrors.ReasonDeadline, State: "InProgress", Word: "Creating", URL: "https://a.test/ops/7",
				Err: context.DeadlineExceeded, Polls: 3, Elapsed: 5*time.Minute + 1234567, NextPoll: noon, Asked: true,
			},
			`lro: stopped waiting for https://a.test/ops/7 (Deadline): context deadline exceeded; the next read is due at 2026-02-03T11:00:00Z` +
				`, as the service asked; operation last known InProgress ("Creating") after 3 polls in 5m0.001s`,
		},
		{
			&lroerrors.WaitError{Reason: lroerrors.ReasonCanceled, State: "InProgress", Word: "inProgress", Err: context.Canceled, NextPoll: noon, Polls: 1},
			`lro: stopped waiting (Canceled): context canceled; the next read is due at 2026-02-03T11:00:00Z; operation last known InProgress after 1 poll in 0s`,
		},
		{
			&lroerrors.WaitError{Reason: lroerrors.ReasonCanceled, State: "Succeeded", Err: fmt.Errorf("%w: %w", context.Canceled, errors.New("shutdown"))},
			"lro: stopped waiting (Canceled): context canceled: shutdown; operation last known Succeeded after 0 polls in 0s",
		},
		{
			&lroerrors.WaitError{Reason: lroerrors.ReasonPatience, State: "InProgress", Word: "Succeeded", Unconfirmed: true, Polls: 7},
			`lro: stopped waiting (Patience): its status could not be read for too long; operation last known InProgress ("Succeeded"), reported success, not confirmed, after 7 polls in 0s`,
		},
		{&lroerrors.WaitError{Reason: lroerrors.ReasonDeadline}, "lro: stopped waiting (Deadline): the context ended after 0 polls in 0s"},
		{
			&lroerrors.WaitError{Reason: lroerrors.ReasonPatience, State: "InProgress", Polls: 9, LastErr: &lroerrors.StatusError{StatusCode: 503}},
			"lro: stopped waiting (Patience): its status could not be read for too long; operation last known InProgress after 9 polls in 0s: 503 Service Unavailable: no error body",
		},
		{
			&lroerrors.WaitError{Reason: lroerrors.ReasonGone, URL: "https://a.test/op", LastErr: &lroerrors.StatusError{Method: "GET", URL: "https://a.test/op", StatusCode: 410}},
			"lro: stopped waiting for https://a.test/op (Gone): its status is gone: the operation has expired, or this identity cannot see it after 0 polls in 0s: GET: 410 Gone: no error body",
		},
		{
			&lroerrors.WaitError{Reason: lroerrors.ReasonGone, URL: "https://a.test/op", LastErr: &lroerrors.StatusError{Method: "GET", URL: "https://a.test/w1", StatusCode: 410}},
			"lro: stopped waiting for https://a.test/op (Gone): its status is gone: the operation has expired, or this identity cannot see it after 0 polls in 0s: GET https://a.test/w1: 410 Gone: no error body",
		},
		{&lroerrors.WaitError{Reason: lroerrors.ReasonRefused}, "lro: stopped waiting (Refused): a read of its status was refused after 0 polls in 0s"},
		{&lroerrors.WaitError{Reason: lroerrors.ReasonGone}, "lro: stopped waiting (Gone): its status is gone: the operation has expired, or this identity cannot see it after 0 polls in 0s"},
		{
			&lroerrors.WaitError{Reason: lroerrors.ReasonUnfollowable, LastErr: &lroerrors.StatusError{Err: fmt.Errorf("%w: bad header", lroerrors.ErrNoOperation)}},
			"lro: stopped waiting (Unfollowable): the service accepted the operation, but these options cannot follow it after 0 polls in 0s: no usable URL to poll in the response: bad header",
		},
		{&lroerrors.WaitError{}, "lro: stopped waiting (): no reason given after 0 polls in 0s"},

		{busy, "Busy: try later"},
		{&detail{}, "no error detail"},
		{&detail{Trace: "t"}, "no error detail"},
		{&detail{Message: "try\r\n\tlater \u2028 ", Target: "name"}, "try later (target name)"},
		{&detail{Target: "\n"}, "no error detail"},
		{&detail{Target: "name"}, "(target name)"},
		{&detail{Code: "A", Target: "name", Details: []detail{{Code: "B"}}}, "A (target name) (B)"},
		{&detail{Details: []detail{*busy, {Code: "B"}}}, "Busy: try later; B"},
		{&detail{Code: "A", Details: make([]detail, 5)}, "A (" + strings.Repeat("no error detail; ", 4) + "no error detail)"},
		{&detail{Code: "A", Details: make([]detail, 7)}, "A (" + strings.Repeat("no error detail; ", 5) + "and 2 more)"},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, tt.err.Error(), "%#v", tt.err)
	}
}

// leaks lists messages that contain secrets, and the same messages redacted. SECRET stands for a
// secret.
var leaks = []struct{ in, want string }{
	{"asked https://a.test/x?sig=SECRET&b=SECRET", "asked https://a.test/x?REDACTED"},
	{"asked https://a.test/x?SECRET now", "asked https://a.test/x?REDACTED now"},
	{`Get "https://a.test/x?a='SECRET)SECRET": EOF`, `Get "https://a.test/x?REDACTED": EOF`},
	{"asked /x?sig=SECRET", "asked /x?REDACTED"},
	{"asked https://a.test/x?a=b?c=SECRET", "asked https://a.test/x?REDACTED"},
	{"https://a.test/cb#access_token=SECRET", "https://a.test/cb#REDACTED"},
	{`{"href":"https:\/\/u:SECRET@a.test\/x?sig=SECRET"}`, `{"href":"https:\/\/a.test\/x?REDACTED"}`},
	{"https://user:SECRET@a.test/x", "https://a.test/x"},
	{"https://user:SEC@SECRET@a.test/x", "https://a.test/x"},
	{"https://user:SEC'SECRET@a.test/x", "https://a.test/x"},
	{"https://SECRET@a.test", "https://a.test"},
	{"redirect to //user:SECRET@a.test/x", "redirect to //a.test/x"},
	{"https://user:SECRET…", "https://"},
	{"Authorization: Bearer SECRET-a.b_c~d/e+f==, sorry", "Authorization: Bearer REDACTED, sorry"},
	{"bearer\n  SECRET", "bearer REDACTED"},
	{"BEARER SECRET.", "BEARER REDACTED"},
	{"Authorization: Basic dTpTRUNSRVQ=", "Authorization: Basic REDACTED"}, // u:SECRET in base64
	{"basic dTpTRUNSRVQ", "basic REDACTED"},
	{"basic dTpTRUNSR", "basic REDACTED"}, // the same credential, truncated
	{"SharedAccessSignature sr=SECRET&sig=SECRET", "SharedAccessSignature REDACTED"},
	{"SharedKey account:SECRET", "SharedKey REDACTED"},
	{"token=SECRET is expired, access_token=SECRET too", "token=REDACTED is expired, access_token=REDACTED too"},
	{"AccountName=a;AccountKey=SECRET==;Endpoint=b", "AccountName=a;AccountKey=REDACTED;Endpoint=b"},
	{"GET /operations/op1?SECRET failed", "GET /operations/op1?REDACTED failed"},
	{`{"access_token":"eyJhbGciOiJub25lIn0.eyJTRUNSRVQiOjF9.SECRET"}`, `{"access_token":"REDACTED"}`},
}

func TestSecretsInWords(t *testing.T) {
	for _, tt := range leaks {
		require.Equal(t, tt.want, (&detail{Message: tt.in}).Error(), tt.in)
	}
}

// Redaction leaves harmless text unchanged, even if it contains words such as Basic, bearer or
// token.
func TestHarmlessWordsAreKept(t *testing.T) {
	for _, s := range []string{
		"The Basic SKU does not support this.",
		"Basic LoadBalancer: not in this region",
		"The bearer token is expired.",
		"Bearer authentication failed",
		"Really? Yes: a=b",
		"is it /a or /b? Ask token.",
		"see https://docs.test/errors#conflict, please",
		"mail ops@a.test",
		"eyJ is how it begins",
	} {
		require.Equal(t, s, (&detail{Message: s}).Error())
	}
}

// leaky returns errors of all types in this package, with s in every field that can hold it.
func leaky(s string) []error {
	inner := errors.New(s)
	d := &detail{
		Code: s, Message: s, Target: s, MoreInfo: s, Trace: s, InnerError: []byte(`"` + s + `"`),
		AdditionalInfo: []lroerrors.AdditionalInfo{{Type: s, Info: []byte(`"` + s + `"`)}},
		Details:        []detail{{Message: s, Details: []detail{{Code: s}}}},
	}
	status := &lroerrors.StatusError{Method: s, URL: s, StatusCode: 409, Detail: d, RequestID: s, CorrelationID: s, Err: inner}
	end := fmt.Errorf("%w: %w", context.Canceled, inner)
	return []error{
		d,
		status,
		&lroerrors.StatusError{Err: fmt.Errorf("%s: %w", s, status)},
		&lroerrors.OperationError{State: lroerrors.State(s), Word: s, Detail: d, ID: s, Name: s, RequestID: s, CorrelationID: s},
		&lroerrors.ResultError{URL: s, Err: status},
		&lroerrors.ResultError{URL: s, Err: errors.Join(inner, status)},
		&lroerrors.WaitError{Reason: lroerrors.ReasonCanceled, State: lroerrors.State(s), Word: s, URL: s, LastErr: status, Err: end},
		&lroerrors.WaitError{Reason: lroerrors.Reason(s), Err: end, LastErr: &lroerrors.StatusError{Err: &lroerrors.ResultError{Err: status}}},
	}
}

func TestTextsHoldNoSecret(t *testing.T) {
	for _, leak := range leaks {
		for _, err := range leaky(leak.in) {
			require.NotContains(t, err.Error(), "SECRET", "%T", err)
			require.NotContains(t, err.Error(), "dTpT", "%T", err)
		}
	}
}

func TestTextsAreBoundedLines(t *testing.T) {
	for _, s := range []string{
		"\n", "a\r\nb\u2028c\x1b[31m\x00", "\xff\xfe", strings.Repeat("ä ", 1<<15), strings.Repeat("x", 1<<15),
		strings.Repeat("lro: ", 10), "lro:lro: lro:  x", "",
	} {
		for _, err := range leaky(s) {
			text := err.Error()
			requireText(t, text, 6000)
			if _, ok := err.(*detail); ok { //nolint:errorlint // a Detail's text is the service's own, without this package's prefix
				continue
			}
			require.True(t, strings.HasPrefix(text, "lro: "), "%T: %q", err, text)
			require.Equal(t, 1, strings.Count(text, "lro:"), "%T: %q", err, text)
		}
	}
}

// A long message is cut after 1,000 bytes, or just before that if the cut would split a character.
func TestCut(t *testing.T) {
	x := strings.Repeat("x", 1100)
	tests := []struct{ message, want string }{
		{x[:1000], x[:1000]},
		{x[:1001], x[:1000] + "…"},
		{x[:998] + "äx", x[:998] + "ä…"},
		{x[:998] + "ää", x[:998] + "ä…"},
		{x[:999] + "ää", x[:999] + "…"},
		{strings.Repeat("\x80", 3000), "…"}, // only UTF-8 continuation bytes
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, (&detail{Message: tt.message}).Error(), "%d", len(tt.message))
	}
}

// The text of each error in a chain is limited, even if the error wraps a very long error from
// another package.
func TestLongForeignErrors(t *testing.T) {
	theirs := fmt.Errorf("failed to parse Location header: %w: %s", io.ErrUnexpectedEOF, strings.Repeat("xxxx", 1<<18))
	err := error(&lroerrors.ResultError{Err: &lroerrors.StatusError{Err: theirs}})
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	for link := err; link != nil; {
		require.Less(t, len(link.Error()), 3000)
		switch wraps := link.(type) { //nolint:errorlint // the loop examines each link itself
		case interface{ Unwrap() error }:
			link = wraps.Unwrap()
		case interface{ Unwrap() []error }:
			link = wraps.Unwrap()[0]
		default:
			link = nil
		}
	}
}

// A secret is masked even if the text is cut inside it.
func TestTruncatedTextHidesSecrets(t *testing.T) {
	for _, leak := range leaks[:12] {
		for n := 1950; n <= 2010; n++ {
			// The filler shifts the secret across the cut.
			filler := strings.Repeat(" ", n)
			require.NotContains(t, (&detail{Code: "A", Message: filler + leak.in}).Error(), "SECRET", "%d: %s", n, leak.in)
		}
	}
}
