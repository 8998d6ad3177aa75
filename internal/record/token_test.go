package record

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/poller/strategy"
)

// The constant at is the JSON form of a time in a token.
const at = `"2026-01-02T03:04:05Z"`

// members returns the members of a valid token in phase Polling, as a map from names to JSON
// values.
func members() map[string]string {
	return map[string]string{
		"lro": "1", "phase": `"polling"`, "method": `"PUT"`, "target": `"https://a.test/resource"`, "poll": `"https://a.test/status"`,
		"status": `{"state":"InProgress"}`, "began": at, "lastRead": at,
	}
}

// tokenWith returns the JSON of a token in which the given values replace the usual ones. The value
// "" removes a member.
func tokenWith(others map[string]string) string {
	raw := map[string]json.RawMessage{}
	for name, value := range members() {
		raw[name] = json.RawMessage(value)
	}
	for name, value := range others {
		raw[name] = json.RawMessage(value)
		if value == "" {
			delete(raw, name)
		}
	}
	text, err := json.Marshal(raw)
	if err != nil {
		panic(err)
	}
	return string(text)
}

const first = `{"url":"https://a.test/resource","code":202}`

// TestParseForged checks that Parse rejects invalid tokens and does not quote them in its errors.
func TestParseForged(t *testing.T) {
	const (
		badCount  = "it has an invalid count"
		badPhase  = "its phase contradicts its other members"
		badURL    = "it has a URL that is not absolute"
		badJSON   = "its JSON is not a token"
		succeeded = `{"state":"Succeeded"}`
		failed    = `{"state":"Failed"}`
	)
	for _, row := range []struct {
		others map[string]string
		want   string // the end of the error's text, or "" if the token is valid
	}{
		{nil, ""},
		{map[string]string{"unknown": `{"a":1}`}, ""},
		{map[string]string{"status": ""}, ""},
		{map[string]string{"lro": "0"}, "its version is 0, but the first one was 1"},
		{map[string]string{"lro": `"secret"`}, badJSON},
		{map[string]string{"pause": `"-1s"`}, badJSON},
		{map[string]string{"pause": `"secret"`}, badJSON},

		{map[string]string{"method": `""`}, ""},
		{map[string]string{"method": `"M-SEARCH_M-SEARCH_AB"`}, ""},
		{map[string]string{"method": `"M-SEARCH_M-SEARCH_ABC"`}, "its method is invalid"},
		{map[string]string{"method": `"get"`}, "its method is invalid"},
		{map[string]string{"began": `"10000-01-02T03:04:05Z"`}, badJSON},
		{map[string]string{"began": `"9999-12-31T23:59:59-02:00"`}, "it has an invalid time"},
		{map[string]string{"lastRead": `"9999-12-31T23:59:59-02:00"`}, "it has an invalid time"},
		{map[string]string{"resultPointer": `"a"`}, "its result pointer is invalid"},
		{map[string]string{"resultPointer": `"` + strings.Repeat("/", 101) + `"`}, "its result pointer is invalid"},
		{map[string]string{"resultPointer": `"` + strings.Repeat("/", 100) + `"`}, ""},

		{map[string]string{"now": "3"}, ""},
		{map[string]string{"now": "4"}, badCount},
		{map[string]string{"failures": `{"count":-1}`}, badCount},
		{map[string]string{"failures": `{"notFound":-1}`}, badCount},
		{map[string]string{"failures": `{"other":-1}`}, badCount},
		{map[string]string{"failures": `{"waits":-1}`}, badCount},
		{map[string]string{"failures": `{"spent":"1s","missing":"1s","waited":"1s","answered":"1s"}`}, ""},
		{map[string]string{"failures": `{"spent":"1s","missing":"2s"}`}, badCount},
		{map[string]string{"failures": `{"spent":"1s","waited":"2s"}`}, badCount},
		{map[string]string{"failures": `{"spent":"1s","answered":"2s"}`}, badCount},
		{map[string]string{"failures": `{"lost":"Gone"}`}, ""},
		{map[string]string{"failures": `{"lost":"Deadline"}`}, "it has an invalid reason"},

		{map[string]string{"target": `"/resource"`}, badURL},
		{map[string]string{"poll": `"/status"`}, badURL},
		{map[string]string{"else": `"/check"`}, badURL},
		{map[string]string{"monitor": `"/status"`}, badURL},
		{map[string]string{"phase": `"unfollowed"`, "first": `{"url":"/resource","code":202}`}, badURL},

		{map[string]string{"phase": ""}, badPhase},
		{map[string]string{"phase": `"secret"`}, badPhase},
		{map[string]string{"phase": `"unfollowed"`}, badPhase},
		{map[string]string{"phase": `"unfollowed"`, "first": first}, ""},
		{map[string]string{"phase": `"unfollowed"`, "first": `{"url":"https://a.test/resource","code":404}`}, badPhase},
		{map[string]string{"phase": `"unfollowed"`, "first": first, "status": succeeded}, badPhase},
		{map[string]string{"poll": ""}, badPhase},
		{map[string]string{"status": succeeded}, badPhase},
		{map[string]string{"status": `{"state":"Creating"}`}, badPhase},
		{map[string]string{"phase": `"reading"`, "status": succeeded, "result": `{"url":"https://a.test/result"}`}, ""},
		{map[string]string{"phase": `"reading"`, "status": failed, "result": `{"url":"https://a.test/result"}`}, badPhase},
		{map[string]string{"phase": `"reading"`, "status": succeeded, "result": `{}`}, badPhase},
		{map[string]string{"phase": `"reading"`, "status": succeeded}, badPhase},
		{map[string]string{"phase": `"ended"`, "status": succeeded}, ""},
		{map[string]string{"phase": `"ended"`, "status": failed}, ""},
		{map[string]string{"phase": `"ended"`}, badPhase},
		{map[string]string{"phase": `"ended"`, "status": succeeded, "result": `{"url":"https://a.test/result"}`}, badPhase},
	} {
		text := tokenWith(row.others)
		_, err := Parse(text)
		if row.want == "" {
			require.NoError(t, err, text)
			continue
		}
		require.ErrorIs(t, err, lroerrors.ErrBadToken, text)
		require.Equal(t, lroerrors.ErrBadToken.Error()+": "+row.want, err.Error(), text)
	}
}

func TestParseLimits(t *testing.T) {
	largest := tokenWith(nil)
	largest += strings.Repeat(" ", MaxToken-len(largest))
	_, err := Parse(largest)
	require.NoError(t, err)
	_, err = Parse(largest + " ")
	require.EqualError(t, err, lroerrors.ErrBadToken.Error()+": it is 65537 bytes long, but the limit is 65536")
	_, err = Parse("{secret")
	require.EqualError(t, err, lroerrors.ErrBadToken.Error()+": invalid JSON: invalid character 's' looking for beginning of object key string")
}

// Parse masks credentials in the status, normalizes Words, and sets a missing status to InProgress,
// because a token may be forged.
func TestParseCleans(t *testing.T) {
	r, err := Parse(tokenWith(map[string]string{"status": `{"state":"InProgress","word":"Bearer secret"}`, "words": `{" Ready ":"Succeeded"}`}))
	require.NoError(t, err)
	require.Equal(t, "Bearer REDACTED", r.Status.Word)
	require.Equal(t, map[string]strategy.State{"ready": strategy.Succeeded}, r.Words)
	r, err = Parse(tokenWith(map[string]string{"status": ""}))
	require.NoError(t, err)
	require.Equal(t, &strategy.Status{State: strategy.InProgress}, r.Status)
}

// Parse clears the fields that the token's phase does not use.
func TestParseClears(t *testing.T) {
	all := map[string]string{"now": "1", "held": "true", "else": `"https://a.test/check"`, "monitor": `"https://a.test/status"`, "failures": `{"lost":"Gone"}`, "result": `{"body":"1"}`}
	r, err := Parse(tokenWith(all))
	require.NoError(t, err)
	require.Equal(t, []any{uint8(1), true, checkURL, statusURL, &Failures{Lost: lroerrors.ReasonGone}, (*Result)(nil)}, []any{r.Now, r.Held, string(r.Else), string(r.Monitor), r.Failures, r.Result})

	all["phase"] = `"ended"`
	all["status"] = `{"state":"Succeeded"}`
	r, err = Parse(tokenWith(all))
	require.NoError(t, err)
	require.Equal(t, []any{uint8(0), false, "", "", &Failures{}, &Result{Body: exact("1")}}, []any{r.Now, r.Held, string(r.Else), string(r.Monitor), r.Failures, r.Result})

	for state, want := range map[string]*Result{"Succeeded": {}, "Failed": nil} {
		r, err = Parse(tokenWith(map[string]string{"phase": `"ended"`, "status": `{"state":"` + state + `"}`}))
		require.NoError(t, err)
		require.Equal(t, want, r.Result)
	}
}

// If a token lacks the body of the first response to a PUT, PATCH or DELETE, Parse sets the
// response's status code to 202, so that the poller reads the resource.
func TestParseIncompleteFirstResponse(t *testing.T) {
	for method, want := range map[string]int{"PUT": 202, "PATCH": 202, "DELETE": 202, "POST": 201} {
		r, err := Parse(tokenWith(map[string]string{"method": `"` + method + `"`, "phase": `"unfollowed"`, "first": `{"url":"https://a.test/resource","code":201,"broken":true}`}))
		require.NoError(t, err)
		require.Equal(t, want, r.First.Code, method)
		require.EqualError(t, r.First.Err, "the token does not have the body, which was incomplete or too large")
	}
	r, err := Parse(tokenWith(map[string]string{"phase": `"unfollowed"`, "first": `{"url":"https://a.test/resource","code":201}`}))
	require.NoError(t, err)
	require.Equal(t, 201, r.First.Code)
	require.NoError(t, r.First.Err)
}

func TestIsAccepted(t *testing.T) {
	for code := range 600 {
		require.Equal(t, code == 200 || code == 201 || code == 202 || code == 204, IsAccepted(code), code)
	}
}

func TestNextLinks(t *testing.T) {
	noTarget := func(r *Record) { r.Target = "" }
	for _, row := range []struct {
		name   string
		record func() *Record
		want   []exchange.Link
	}{
		{"polling", polling(), []exchange.Link{resourceURL, statusURL}},
		{"in turn", polling(inTurn), []exchange.Link{resourceURL, checkURL, statusURL, statusURL}},
		{"reading", reading(), []exchange.Link{resourceURL}},
		{"reading, from azcore", reading(noTarget), []exchange.Link{statusURL}},
		{"unfollowed", polling(firstResponse), []exchange.Link{resourceURL}},
		{"unfollowed, of New", polling(firstResponse, noTarget, func(r *Record) { r.First.URL = statusURL }), []exchange.Link{statusURL}},
	} {
		require.Equal(t, row.want, row.record().NextLinks(), row.name)
	}
}

// TestReschedule checks when the status of a resumed operation is read next. Unless the row changes
// it, the token's pause is 30 minutes.
func TestReschedule(t *testing.T) {
	c := &defaults.Cadence
	for _, row := range []struct {
		name   string
		change func(*Record)
		resume time.Duration // when Reschedule is called, relative to the last read
		next   time.Duration
	}{
		{"at its time", func(*Record) {}, 25 * time.Minute, 30 * time.Minute},
		{"after Max", func(*Record) {}, 15 * time.Minute, 25 * time.Minute},
		{"overdue", func(*Record) {}, time.Hour, 30 * time.Minute},
		{"on a clock that is behind", func(r *Record) { r.Pause = minu }, -2 * time.Hour, -119 * time.Minute},
		{"after Max, on a clock that is behind", func(*Record) {}, -2 * time.Hour, -110 * time.Minute},
		{"held", func(r *Record) { r.Held = true }, 0, 30 * time.Minute},
		{"after a failure", func(r *Record) { r.Failures = &Failures{} }, 0, 30 * time.Minute},
		{"held for more than a day", func(r *Record) { r.Held = true; r.Pause = 48 * 60 * minu }, 0, 24 * time.Hour},
	} {
		r := polling()()
		r.pauseUntil(arrived.Add(30*time.Minute), false)
		row.change(r)
		now := arrived.Add(row.resume)
		r.Reschedule(now, c)
		require.Equal(t, row.next, r.Next().Sub(arrived), row.name)
		require.Equal(t, Earlier(arrived, now), r.LastRead, row.name)
		require.Equal(t, Earlier(arrived, now).Add(-time.Hour), r.Began, row.name) // the operation's age at its last read stays the same
	}
	r := Record{}
	r.Reschedule(arrived, c)
	require.Equal(t, Record{Began: arrived, LastRead: arrived}, r)
	require.Equal(t, arrived, Earlier(arrived.Add(1), arrived))
}

// TestTokenText checks the exact text of a token, which later releases must be able to read.
func TestTokenText(t *testing.T) {
	r := reading()()
	zone := time.FixedZone("", 3600)
	r.Began = r.Began.In(zone)
	r.LastRead = r.LastRead.In(zone)
	r.Result = &Result{URL: resultURL + "?a=1&b=<2>", Body: exact("1"), From: checkURL}
	r.Phase = Ended
	text, err := r.Token()
	require.NoError(t, err)
	require.Equal(t, `{"lro":1,"phase":"reading","method":"PUT","target":"https://a.test/resource","poll":"https://a.test/status",`+
		`"status":{"state":"Succeeded"},"result":{"url":"https://a.test/result?a=1&b=<2>"},`+
		`"began":"2026-01-02T02:04:05Z","lastRead":"2026-01-02T03:04:05Z"}`, text)
}

func TestTokenTooLarge(t *testing.T) {
	long := strings.Repeat("x", MaxToken)
	half := long[:MaxToken/2]
	for _, row := range []struct {
		record func() *Record
		want   string
	}{
		{ended(strategy.Succeeded, &Result{Body: exact(long)}), "the result has 65536 bytes; store it instead of the token"},
		{ended(strategy.Succeeded, &Result{Size: MaxToken}), "the result has 65536 bytes; store it instead of the token"},
		{reading(func(r *Record) { r.Memo = json.RawMessage(`"` + long + `"`) }), "the memo of the strategy has 65538 bytes"},
		{polling(func(r *Record) { r.Memo = json.RawMessage(`"` + half + `"`); r.Poll += exchange.Link(half) }), "the memo of the strategy has 32770 bytes"},
		{polling(func(r *Record) { r.Poll += exchange.Link(long) }), "its URLs or the error of the service are too long"},
		{reading(func(r *Record) { r.Result.URL += exchange.Link(long) }), "its URLs or the error of the service are too long"},
		{ended(strategy.Succeeded, &Result{Err: long}), "its URLs or the error of the service are too long"},
	} {
		_, err := row.record().Token()
		require.ErrorContains(t, err, "the limit is 65536: "+row.want)
	}
}

func TestLargestToken(t *testing.T) {
	r := polling()()
	text, err := r.Token()
	require.NoError(t, err)
	r.Poll += exchange.Link(strings.Repeat("x", MaxToken-len(text)))
	text, err = r.Token()
	require.NoError(t, err)
	require.Len(t, text, MaxToken)
	r.Poll += "x"
	_, err = r.Token()
	require.Error(t, err)
}

// If a token would be too large, Token omits what is not needed to follow the operation.
func TestTokenIsTrimmed(t *testing.T) {
	many := make([]strategy.Status, 1000)
	for i := range many {
		many[i].Word = strings.Repeat("w", 100)
	}
	percent := 50.0
	roundTrip := func(r *Record) *Record {
		text, err := r.Token()
		require.NoError(t, err)
		got, err := Parse(text)
		require.NoError(t, err)
		return &got
	}

	r := polling(func(r *Record) {
		r.Status = &strategy.Status{State: strategy.InProgress, Word: "w", PercentComplete: &percent, StatusCode: 200, Unconfirmed: true, Operations: many}
	})()
	require.Equal(t, &strategy.Status{State: strategy.InProgress, PercentComplete: &percent, StatusCode: 200, Unconfirmed: true}, roundTrip(r).Status)
	require.Len(t, r.Status.Operations, 1000, "Token must not change the record")

	detail := &lroerrors.Detail{Code: "c", Message: "m", Details: []lroerrors.Detail{{Code: "d"}}, InnerError: json.RawMessage(`{}`), AdditionalInfo: []lroerrors.AdditionalInfo{{Type: "t"}}}
	r = ended(strategy.Failed, nil)()
	r.Status = &strategy.Status{State: strategy.Failed, Word: "w", Detail: detail, Operations: many}
	require.Equal(t, &strategy.Status{State: strategy.Failed, Word: "w", Detail: &lroerrors.Detail{Code: "c", Message: "m"}}, roundTrip(r).Status)
	require.Len(t, detail.Details, 1, "Token must not change the record")
	r.Status.Detail = nil
	require.Equal(t, &strategy.Status{State: strategy.Failed, Word: "w"}, roundTrip(r).Status)

	long := strings.Repeat("x", maxHeader)
	r = polling(firstResponse)()
	r.First.Body = []byte(strings.Repeat("x", MaxToken))
	r.First.Header = http.Header{
		"Location": {long + "x"}, "Azure-Asyncoperation": {long + "x"}, "Content-Location": {long + "x"}, "Retry-After": {"5"}, "X-Long": {long}, "X-Longer": {long, "x"},
	}
	got := roundTrip(r).First
	require.True(t, got.Broken)
	require.Empty(t, got.Body)
	require.Equal(t, http.Header{
		"Location": {long + "x"}, "Azure-Asyncoperation": {long + "x"}, "Content-Location": {long + "x"}, "Retry-After": {"5"}, "X-Long": {long},
	}, got.Header)
	require.NotEmpty(t, r.First.Header["X-Longer"], "Token must not change the record")
}

// The first response in a token contains no credentials.
func TestFirstWithoutSecrets(t *testing.T) {
	const broken = "https://u:secret@a.test/%zz"
	f := &First{Header: http.Header{
		"Location": {"//u:secret@a.test/\xff"}, "Operation-Location": {broken}, "X-Other": {broken, "see https://u:secret@a.test/"}, "Set-Cookie": {"a"}, "Www-Authenticate": {"a"},
		"X-Token": {"a"}, "X-Secret": {"a"}, "Api-Key": {"a"}, "X-Signature": {"a"},
	}}
	require.Equal(t, http.Header{
		"Location": {"//user-info@a.test/%FF"}, "Operation-Location": {"%user-info@a.test/%zz"}, "X-Other": {"https://%user-info@a.test/%zz", "see https://%user-info@a.test/"},
	}, f.withoutSecrets().Header)
	require.Len(t, f.Header, 9)
	require.Equal(t, "//u:secret@a.test/\xff", f.Header.Get("Location"))
}

func TestFitsToken(t *testing.T) {
	nested := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	require.True(t, FitsToken([]byte(`{"a":1}`)))
	require.False(t, FitsToken([]byte(`{"a"`)))
	require.False(t, FitsToken([]byte("\"\xff\"")))
	require.True(t, FitsToken(nested(9992)))
	require.False(t, FitsToken(nested(9993)))
}

// TestParseAzcore checks the record that Parse makes from each encoding of an azcore token.
func TestParseAzcore(t *testing.T) {
	for _, row := range []struct {
		name, text         string
		target, poll, memo string
		inline             bool
	}{
		{"async", `{"asyncURL":"https://a.test/status","locURL":"/done","origURL":"https://a.test/resource","method":"put","finalState":"Location"}`, resourceURL, statusURL, `{"location":"https://a.test/done","strategy":"azure-async-operation"}`, false},
		{"absolute Location", `{"asyncURL":"https://a.test/status","locURL":"https://b.test/%2f"}`, "", statusURL, `{"location":"https://b.test/%2f","strategy":"azure-async-operation"}`, false},
		{"relative Location, nothing to resolve it with", `{"asyncURL":"https://a.test/status","locURL":"/done"}`, "", statusURL, `{"strategy":"azure-async-operation"}`, false},
		{"async, although the type is body", `{"type":"body","pollURL":"https://a.test/resource","asyncURL":"https://a.test/status"}`, "", statusURL, `{"strategy":"azure-async-operation"}`, false},
		{"body", `{"type":"body","pollURL":"https://a.test/resource"}`, resourceURL, resourceURL, `{"strategy":"provisioning-state"}`, true},
		{"loc", `{"type":"loc","pollURL":"https://a.test/status","origURL":"https://a.test/resource"}`, resourceURL, statusURL, `{"strategy":"location"}`, true},
		{"op", `{"oplocURL":"https://a.test/status","resultPath":"a"}`, "", statusURL, `{"member":"a","strategy":"operation-location"}`, false},
	} {
		for _, text := range []string{
			row.text,
			`{"type":"T","token":` + row.text + `}`,
			`{"type":"T","token":"` + base64.StdEncoding.EncodeToString([]byte(row.text)) + `"}`,
			base64.URLEncoding.EncodeToString([]byte(`{"type":"T","token":` + row.text + `}`)),
		} {
			r, err := Parse(text)
			require.NoError(t, err, row.name)
			require.Equal(t, []any{row.target, row.poll, row.memo, row.inline}, []any{string(r.Target), string(r.Poll), string(r.Memo), r.Inline}, row.name)
			if row.name == "async" {
				require.Equal(t, []any{"PUT", strategy.FinalStateViaLocation}, []any{r.Method, r.Via})
			}
		}
	}
	for _, text := range []string{`{}`, `{"type":"loc"}`, `{"type":1,"asyncURL":"https://a.test/status"}`, `{"asyncURL":""}`, `{"token":""}`, `null`} {
		_, err := Parse(text)
		require.ErrorIs(t, err, lroerrors.ErrBadToken, text)
	}
}
