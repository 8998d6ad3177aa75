package errors_test

import (
	"encoding/json"
	"testing"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/stretchr/testify/require"
)

type detail = lroerrors.Detail

func decode(t *testing.T, doc string) detail {
	t.Helper()
	var d detail
	require.NoError(t, json.Unmarshal([]byte(doc), &d), doc)
	return d
}

// The rows above the empty line are error bodies from real services. The other rows test further
// forms of an error.
func TestRecordedErrorBodies(t *testing.T) {
	tests := []struct {
		name, doc string
		want      detail
	}{
		{
			"operation document with additionalInfo",
			`{"id":"/subscriptions/s/operations/o","name":"o","status":"Failed","error":{"code":"NameUnavailable",
			  "message":"The name is taken.","additionalInfo":[{"type":"ActivityId","info":{"activityId": "a1"}}]}}`,
			detail{
				Code: "NameUnavailable", Message: "The name is taken.",
				AdditionalInfo: []lroerrors.AdditionalInfo{{Type: "ActivityId", Info: json.RawMessage(`{"activityId":"a1"}`)}},
			},
		},
		{
			"App Service, capitalised",
			`{"Code":"Conflict","Message":"Cannot modify this site.","Target":null,"Details":[
			  {"Message":"Cannot modify this site."},{"Code":"Conflict"},
			  {"ErrorEntity":{"ExtendedCode":"59203","MessageTemplate":"…","Parameters":["f1"],"Code":"Conflict","Message":"Another operation is pending."}}],
			  "Innererror":null}`,
			detail{Code: "Conflict", Message: "Cannot modify this site.", Details: []detail{
				{Message: "Cannot modify this site."},
				{Code: "Conflict"},
				{Code: "Conflict", Message: "Another operation is pending."},
			}},
		},
		{
			"details apart from the error",
			`{"error":{"code":"BadRequest","details":[{"activityId":"a1","clientRequestId":"c1","code":"Invalid",
			  "message":"Too small.","possibleCauses":"…","recommendedAction":"…"}],"message":"The request is invalid."}}`,
			detail{Code: "BadRequest", Message: "The request is invalid.", Details: []detail{{Code: "Invalid", Message: "Too small."}}},
		},
		{
			"nested details",
			`{"error":{"code":"ValidationError","message":"One or more.","details":[{"code":"InvalidDevCenterName",
			  "target":"name","message":"Bad name.","details":[],"additionalInfo":[]}]}}`,
			detail{Code: "ValidationError", Message: "One or more.", Details: []detail{
				{Code: "InvalidDevCenterName", Message: "Bad name.", Target: "name"},
			}},
		},
		{
			"Palo Alto, without a code",
			`{"id":"/subscriptions/s/operationStatuses/a*b","name":"a*b","status":"Failed","error":{"message":"Rule stack is locked."}}`,
			detail{Message: "Rule stack is locked."},
		},
		{"a JSON string", `"Solution Not Found : s1"`, detail{Message: "Solution Not Found : s1"}},
		{"unknown members only", `{"something-went":"wrong"}`, detail{}}, // the Detail is zero, so exchange.ErrorDetail uses the raw body as the message

		{"a status alone", `{"status":"Failed"}`, detail{}},
		{
			"properties.error",
			`{"id":"/x","properties":{"provisioningState":"Failed","error":{"code":"Busy","message":"later"}}}`,
			detail{Code: "Busy", Message: "later"},
		},
		{
			"properties.errors",
			`{"properties":{"state":"x","errors":[{"code":"Busy","message":"later"}]}}`,
			detail{Code: "Busy", Message: "later"},
		},
		{"a localised message", `{"error":{"code":"Busy","message":{"lang":"en-us","value":"later"}}}`, detail{Code: "Busy", Message: "later"}},
		{"a localised message without text", `{"error":{"code":"Busy","message":{"lang":"en-us", "value":""}}}`, detail{Code: "Busy", Message: `{"lang":"en-us","value":""}`}},
		{"a target without a name", `{"error":{"code":"Busy","target":{"type":"field"}}}`, detail{Code: "Busy", Target: `{"type":"field"}`}},
		{"OData v2 and v3", `{"odata.error":{"code":"Busy","message":{"lang":"en-us","value":"later"}}}`, detail{Code: "Busy", Message: "later"}},
		{
			"details as an object",
			`{"error":{"code":"Busy","message":"later","details":{"code":"Inner","message":"in"}}}`,
			detail{Code: "Busy", Message: "later", Details: []detail{{Code: "Inner", Message: "in"}}},
		},
		{"details as a string", `{"error":{"code":"Busy","details":"see the log"}}`, detail{Code: "Busy", Details: []detail{{Message: "see the log"}}}},
		{"details alone", `{"error":{"details":[{"code":"B"}]}}`, detail{Details: []detail{{Code: "B"}}}},
		{"an inner error alone", `{"error":{"innererror":{"code":"B"}}}`, detail{InnerError: json.RawMessage(`{"code":"B"}`)}},
		{"error null", `{"status":"Failed","error":null}`, detail{}},
		{"error null next to a message", `{"error":null,"code":"Busy","message":"later"}`, detail{Code: "Busy", Message: "later"}},
		{"error a string", `{"status":"Failed","error":"it broke"}`, detail{Message: "it broke"}},
		{"error a string next to a code", `{"error":"it broke","code":7}`, detail{Code: "7", Message: "it broke"}},
		{"error a string next to a message", `{"status":404,"error":"Not Found","message":"no such thing"}`, detail{Code: "Not Found", Message: "no such thing"}},
		{"OAuth 2.0", `{"error":"invalid_grant","error_description":"it expired"}`, detail{Code: "invalid_grant", Message: "it expired"}},
		{"an empty message next to another", `{"message":"","error_description":"it expired"}`, detail{Message: "it expired"}},
		{"error a string next to both", `{"error":"Bad Request","code":"E1","message":"no such thing"}`, detail{Code: "E1", Message: "no such thing"}},
		{"error true next to both", `{"error":true,"code":17,"message":"no such thing"}`, detail{Code: "17", Message: "no such thing"}},
		{"a numeric code", `{"error":{"code":40901,"message":"later"}}`, detail{Code: "40901", Message: "later"}},
		{"a large numeric code", `{"error":{"code":12345678901234567890,"message":"later"}}`, detail{Code: "12345678901234567890", Message: "later"}},
		{"an empty error next to a message", `{"error":{},"message":"later"}`, detail{Message: "later"}},
		{"an error of unknown members", `{"status":"Failed","error":{ "reason": "it broke" }}`, detail{Message: `{"reason":"it broke"}`}},
		{"a list of strings", `{"errors":["a","b"]}`, detail{Message: "2 errors", Details: []detail{{Message: "a"}, {Message: "b"}}}},
		{"a bare list", `[{"code":"A"},{"code":"B"}]`, detail{Message: "2 errors", Details: []detail{{Code: "A"}, {Code: "B"}}}},
		{"a bare list of one", `[{"code":"A"}]`, detail{Code: "A"}},
		{"a detail of unknown members", `{"code":"A","details":[{"activityId":"a1"}]}`, detail{Code: "A", Details: []detail{{Message: `{"activityId":"a1"}`}}}},
		{"empty details", `{"code":"A","details":[null,{},[],"",{ }]}`, detail{Code: "A"}},
		{"one error with a list of errors", `{"code":"A","message":"m","errors":[{"code":"B"}]}`, detail{Code: "A", Message: "m", Details: []detail{{Code: "B"}}}},
		{"a repeated name", `{"message":"lower","Message":"Title","MESSAGE":"upper"}`, detail{Message: "lower"}},
		{"a repeated name, once null", `{"message":null,"Message":"Title"}`, detail{Message: "Title"}},
		{"an addition of another form", `{"code":"A","additionalInfo":{"hint":[1, 2]}}`, detail{Code: "A", AdditionalInfo: []lroerrors.AdditionalInfo{
			{Info: json.RawMessage(`{"hint":[1,2]}`)},
		}}},
		{"additions with null", `{"code":"A","additionalInfo":[null,{"type":"T","info":null},{"type":"","x":1}]}`, detail{Code: "A", AdditionalInfo: []lroerrors.AdditionalInfo{
			{Type: "T"}, {Info: json.RawMessage(`{"type":"","x":1}`)},
		}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, decode(t, tt.doc))
		})
	}
}

// IBM Cloud specifies this error format (API handbook, "Errors").
func TestErrorContainer(t *testing.T) {
	const doc = `{"trace":"9daee671","errors":[
	  {"code":"missing_field","message":"The field is required.","more_info":"https://docs.test/v2/users#first_name","target":{"type":"field","name":"first_name"}},
	  {"code":"reserved_value","message":"Already in use.","target":{"type":"field","name":"username","value":"root"}}],"status_code":400}`
	two := []detail{
		{Code: "missing_field", Message: "The field is required.", Target: "first_name", MoreInfo: "https://docs.test/v2/users#first_name"},
		{Code: "reserved_value", Message: "Already in use.", Target: "username"},
	}
	require.Equal(t, detail{Message: "2 errors", Details: two, Trace: "9daee671"}, decode(t, doc))

	one := decode(t, `{"id":"op-1","status":"failed","trace":"t1","errors":[{"code":"no_capacity","message":"…"}]}`)
	require.Equal(t, detail{Code: "no_capacity", Message: "…", Trace: "t1"}, one)
}

// ARM reports errors in this form (OData JSON format v4.0, section 19).
func TestODataV4(t *testing.T) {
	d := decode(t, `{"error":{"code":"BadArgument","message":"The database 'foo' has an invalid username.","target":"query",
	  "details":[{"code":"301","target":"$search","message":"$search query option not supported",
	    "details":[{"code":"302","message":"nor this","innererror":{"code":"deep"}}]}],
	  "innererror":{"trace":[1, 2],"context":{"a":"<b>"}},
	  "additionalInfo":[{"type":"PolicyViolation","info":{"policy":"p"}},{"type":"Bare"}]}}`)
	require.Equal(t, detail{
		Code: "BadArgument", Message: "The database 'foo' has an invalid username.", Target: "query",
		Details: []detail{{
			Code: "301", Message: "$search query option not supported", Target: "$search",
			Details: []detail{{Code: "302", Message: "nor this", InnerError: json.RawMessage(`{"code":"deep"}`)}},
		}},
		InnerError: json.RawMessage(`{"trace":[1,2],"context":{"a":"<b>"}}`),
		AdditionalInfo: []lroerrors.AdditionalInfo{
			{Type: "PolicyViolation", Info: json.RawMessage(`{"policy":"p"}`)},
			{Type: "Bare"},
		},
	}, d)
}

// A document without an error leaves the Detail zero, even if the document has a target or a trace,
// or if its properties include a message.
func TestNoError(t *testing.T) {
	for _, doc := range []string{
		`null`, `""`, `{}`, `[]`, `[ ]`, `[null]`, `false`, `true`, `0`,
		`{"error":{}}`, `{"error":[]}`, `{"error":""}`, `{"error":false}`, `{"error":0}`, `{"errors":[]}`, `{"errors":null}`,
		`{"errors":[],"trace":"t1"}`,
		`{"id":"op-1","status":"succeeded","target":{"href":"https://a.test/w"},"trace":"t1"}`,
		`{"id":"/x","name":"x","type":"T","properties":{"provisioningState":"Succeeded","message":"hello","code":"c"}}`,
		`{"status":"Succeeded","details":null,"properties":{"error":null}}`,
		`{"additionalInfo":[{"type":"T"}],"more_info":"https://docs.test"}`,
	} {
		d := decode(t, doc)
		require.True(t, d.IsZero(), "%s gave %#v", doc, d)
	}
}

func TestUnmarshalReplaces(t *testing.T) {
	d := detail{Code: "old", Target: "old", Details: []detail{{Code: "old"}}}
	require.NoError(t, json.Unmarshal([]byte(`{"code":"new"}`), &d))
	require.Equal(t, detail{Code: "new"}, d)
	require.NoError(t, json.Unmarshal([]byte(`null`), &d))
	require.True(t, d.IsZero())
}

// UnmarshalJSON copies what it keeps, because encoding/json reuses its buffer.
func TestUnmarshalCopies(t *testing.T) {
	doc := []byte(`{"code":"A","innererror":{"a":1},"additionalInfo":[{"info":{"b":2}},[3]]}`)
	d := decode(t, string(doc))
	var same detail
	require.NoError(t, same.UnmarshalJSON(doc))
	clear(doc)
	require.Equal(t, d, same)
}

func TestRoundTrip(t *testing.T) {
	docs := []string{
		`{"code":"A","message":"m","target":"t","more_info":"i","trace":"x","innererror":{ "a": "<&>\u2028" },"additionalInfo":[{"type":"T","info":[1]}]}`,
		`{"error":{"details":[{"code":"B"},["x",["y"]]]}}`,
		`{"error":{"innererror":"in"}}`,
		`{"error":` + nested(14) + `}`,
		`{"error":` + nested(40) + `}`,
		nested(15), nested(16), nested(17), nested(18),
		"{\"error\":{\"reason\":\"\xff\xfe\"}}",
	}
	for _, doc := range docs {
		requireRoundTrip(t, decode(t, doc))
	}
	require.Equal(t, "{}\n", plain(t, detail{}))
}

// requireRoundTrip fails the test unless d can be stored as JSON and read back. After json.Marshal,
// it compares only the meaning, because json.Marshal escapes HTML characters even in raw JSON.
func requireRoundTrip(t testing.TB, d detail) {
	t.Helper()
	var again detail
	require.NoError(t, json.Unmarshal([]byte(plain(t, d)), &again))
	require.Equal(t, d, again)

	b, err := json.Marshal(d)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &again))
	require.JSONEq(t, plain(t, d), plain(t, again))
}
