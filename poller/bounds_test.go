package poller_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/strategy"
)

// list returns n copies of s, separated by commas.
func list(n int, s string) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }

// Each nested operation keeps its own error, even if earlier errors are long.
func TestErrorsOfManyOperations(t *testing.T) {
	ops := []string{
		`{"name":"a","error":{"code":"A","details":[` + list(1500, `{"code":"D"}`) + `]}}`,
		`{"name":"b","error":{"code":"B","message":"late","details":[{"code":"D"}]}}`,
		`{"name":"c","error":"said so"}`, `{"name":"d"}`, `{"name":"e","error":{"reason":"x"}}`, `{"name":"f","error":["g"]}`,
	}
	s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {`200 {"status":"Failed","operations":[` + strings.Join(ops, ",") + `]}`}})
	st, err := begin(t, s, "POST", nil).Poll(t.Context())
	require.NoError(t, err)
	require.Len(t, st.Detail.Details, 5)
	require.Len(t, st.Detail.Details[0].Details, 1000)
	require.Equal(t, []lroerrors.Detail{
		{Code: "B", Message: "late", Target: "b"},
		{Message: "said so", Target: "c"},
		{Message: `{"reason":"x"}`, Target: "e"},
		{Message: `["g"]`, Target: "f"},
	}, st.Detail.Details[1:])
}

// The poller keeps at most a thousand nested operations from a status document.
func TestOperationsAreBounded(t *testing.T) {
	for n, kept := range map[int]int{1000: 1000, 1001: 1000} {
		s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {`200 {"status":"Running","operations":[` + list(n, `{"name":"o"}`) + `]}`}})
		st, err := begin(t, s, "POST", nil).Poll(t.Context())
		require.NoError(t, err)
		require.Len(t, st.Operations, kept)
	}
}

// Each element of an error's additionalInfo, even if it is not an object, counts toward the limit
// of a thousand errors in nested operations.
func TestAdditionalInfoOfManyOperations(t *testing.T) {
	many := `"error":{"code":"A","additionalInfo":[` + list(600, `1`) + `]}`
	ops := `{` + many + `},{` + many + `},{"error":{"code":"B","details":[{"code":"D"}]}}`
	s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {`200 {"status":"Failed","operations":[` + ops + `]}`}})
	st, err := begin(t, s, "POST", nil).Poll(t.Context())
	require.NoError(t, err)
	require.Equal(t, lroerrors.Detail{Code: "B"}, st.Detail.Details[2], "the details of this element must be left out, because they exceed the limit")
}

// The poller must report the error in a failure document even if the document has duplicate
// members, invalid UTF-8 or deep nesting. A resumed poller must report it too.
func TestOddFailureDocuments(t *testing.T) {
	const deep = 9000
	for name, tt := range map[string]struct{ doc, code string }{
		"a status twice":     {`{"status":"Succeeded","status":"Failed","error":{"code":"C"}}`, "C"},
		"in another case":    {`{"Status":"Running","status":"Failed","error":{"code":"C"}}`, "C"},
		"an error twice":     {`{"status":"Failed","error":{"code":"A"},"error":{"code":"C"}}`, "C"},
		"no UTF-8":           {"{\"status\":\"Failed\",\"error\":{\"code\":\"C\xff\",\"message\":\"\xc3\x28\",\"innererror\":{\"\xfe\":\"\xff\"},\"additionalInfo\":[\"\xff\"]},\"\xff\":1}", "C\uFFFD"},
		"a deep innererror":  {`{"status":"Failed","error":{"code":"C","innererror":` + strings.Repeat("[", deep) + strings.Repeat("]", deep) + `}}`, "C"},
		"a deep addition":    {`{"status":"Failed","error":{"code":"C","additionalInfo":[{"info":` + strings.Repeat("[", deep) + strings.Repeat("]", deep) + `}]}}`, "C"},
		"deep details":       {`{"status":"Failed","error":` + strings.Repeat(`{"code":"C","details":[`, 3000) + strings.Repeat("]}", 3000) + `}`, "C"},
		"innererror to keep": {`{"status":"Failed","error":{"code":"C","innererror":` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `}}`, "C"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := serve(map[string][]reply{"POST " + resource: {accepted}, get(monitor): {"200 " + tt.doc}})
				p := begin(t, s, "POST", nil)
				_, err := p.PollUntilDone(t.Context())
				requireFailed(t, err, tt.code)
				token := tokenOf(t, p)
				require.True(t, utf8.ValidString(token), "a token must be valid UTF-8, because a store may accept nothing else")
				_, err = resume(t, token, s).Result(t.Context())
				requireFailed(t, err, tt.code)
			})
		})
	}
}

// The poller rejects a memo that cannot be part of a token. The read fails, and the token keeps the
// earlier memo.
func TestMemoMustFitToken(t *testing.T) {
	deep := raw(strings.Repeat("[", 9995) + strings.Repeat("]", 9995))
	for _, bad := range []raw{deep, raw("{"), raw("{} {}"), raw("1,2"), raw(" "), raw("]["), raw("\xff")} {
		for what, mv := range map[string]strategy.Move{"Memo": {Memo: bad}} {
			s := serve(map[string][]reply{"POST " + resource: {"202"}, get(resource): {running}})
			p := begin(t, s, "POST", &poller.Options{Strategy: step(func(a strategy.Answer) (strategy.Move, error) {
				if a.First {
					return strategy.Move{Memo: raw(`{"kept":1}`)}, nil
				}
				return mv, nil
			})})
			_, err := p.Poll(t.Context())
			require.ErrorContains(t, err, "the strategy's "+what)
			_, again := p.Poll(t.Context())
			require.ErrorContains(t, again, "the strategy's "+what)
			require.Contains(t, tokenOf(t, p), `"memo":{"kept":1}`)
			resume(t, tokenOf(t, p), s)

			_, err = poller.Begin[raw](newRequest(t, "POST", resource), s.client(), &poller.Options{Strategy: step(func(strategy.Answer) (strategy.Move, error) { return mv, nil })})
			token := tokenOf(t, waitOf(t, err, lroerrors.ReasonUnfollowable))
			sound := step(func(strategy.Answer) (strategy.Move, error) { return strategy.Move{Poll: resource}, nil })
			_, err = poller.Resume[raw](token, s.client(), &poller.Options{Origins: trusted.Origins, Strategy: sound})
			require.NoError(t, err)
		}
	}
}
