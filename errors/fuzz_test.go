package errors_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/stretchr/testify/require"
)

// FuzzDetail checks that any JSON decodes to a Detail of bounded size, and that every Detail can be
// printed, stored and read back. An error in exactly the form that ARM or IBM Cloud specifies must
// decode to the same Detail as with encoding/json alone.
func FuzzDetail(f *testing.F) {
	for _, seed := range []string{
		`{"error":{"code":"Busy","message":"later","details":[{"code":"A"},null],"innererror":{"a":[1]}}}`,
		`{"error":{"code":"Busy","message":"later","target":"t","details":[{"code":"A","message":"","details":[{"message":"b"}]}]}}`,
		`{"Code":"Conflict","Details":[{"ErrorEntity":{"Code":"c"}}],"Innererror":null}`,
		`{"errors":[{"code":"a","target":{"name":"n"}},"b"],"trace":"t"}`,
		`{"errors":[{"code":"a","message":"m","more_info":"i"},{"code":"b","message":"n"}],"trace":"t"}`,
		`{"odata.error":{"code":1,"message":{"value":"m"}}}`,
		`{"error":"invalid_grant","error_description":"https://u:p@a.test/x?sig=1"}`,
		`{"properties":{"error":{"additionalInfo":[{"type":"T","info":{}}]}}}`,
		`"text"`, `[[["a"],"b"],{}]`, `null`, `{`, "\xff", `{"message":"\ud800\u2028\n"}`,
		nested(17),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var d detail
		valid := json.Unmarshal(b, &d) == nil
		require.Equal(t, json.Valid(b), valid)
		if !valid {
			require.True(t, d.IsZero())
			require.NoError(t, d.UnmarshalJSON(b))
			requireText(t, d.Error(), 3000)
			return
		}
		requireText(t, d.Error(), 3000)
		requireRoundTrip(t, d)
		n, depth := count(d)
		require.LessOrEqual(t, n, 1001)
		require.LessOrEqual(t, depth, 16)
		requireText(t, (&lroerrors.StatusError{Detail: &d}).Error(), 4000)
		if want, ok := decodeReference(b); ok {
			require.Equal(t, want, bare(d))
		}
	})
}

// decodeReference decodes an error with encoding/json alone. It reports whether the error has
// exactly the form specified by ARM (resource provider API v2.0, "Error Response Content") or by
// IBM Cloud (API handbook, "Errors").
func decodeReference(b []byte) (detail, bool) {
	var arm struct{ Error *oData }
	if json.Unmarshal(b, &arm) == nil && has(b, "error") && arm.Error != nil {
		return arm.Error.detail(0)
	}
	var ibm struct {
		Trace  string
		Errors []oData
	}
	if json.Unmarshal(b, &ibm) != nil || !has(b, "errors", "trace") || len(ibm.Errors) < 2 {
		return detail{}, false
	}
	list, ok := (&oData{Code: "x", Details: ibm.Errors}).detail(0)
	return detail{Message: strconv.Itoa(len(ibm.Errors)) + " errors", Details: list.Details, Trace: ibm.Trace}, ok
}

// oData is an error in the form that ARM or IBM Cloud specifies.
type oData struct {
	Code, Message, Target string
	MoreInfo              string `json:"more_info"`
	Details               []oData

	raw []byte
}

func (o *oData) UnmarshalJSON(b []byte) error {
	type plain oData // without the UnmarshalJSON method, to avoid infinite recursion
	o.raw = bytes.Clone(b)
	return json.Unmarshal(b, (*plain)(o))
}

// detail converts o to a Detail. ok is false if an error in o has an unknown, repeated or null
// member, or has neither a code nor a message. It is also false if o is so large that a Detail
// might drop some errors.
func (o *oData) detail(depth int) (d detail, ok bool) {
	if o.raw != nil && !has(o.raw, "code", "message", "target", "details", "more_info") || o.Code == "" && o.Message == "" || depth > 10 || len(o.Details) > 20 {
		return d, false
	}
	d = detail{Code: o.Code, Message: o.Message, Target: o.Target, MoreInfo: o.MoreInfo}
	for i := range o.Details {
		sub, ok := o.Details[i].detail(depth + 1)
		if !ok {
			return d, false
		}
		d.Details = append(d.Details, sub)
	}
	return d, true
}

// has reports whether every member of an object has one of these names, no name occurs twice, and
// no value is null.
func has(object []byte, names ...string) bool {
	dec := json.NewDecoder(bytes.NewReader(object))
	if first, err := dec.Token(); err != nil || first != json.Delim('{') {
		return false
	}
	for dec.More() {
		name, err := dec.Token()
		i := slices.Index(names, fmt.Sprint(name))
		var value json.RawMessage
		if err != nil || i < 0 || dec.Decode(&value) != nil || string(value) == "null" {
			return false
		}
		names = slices.Delete(slices.Clone(names), i, i+1)
	}
	return true
}

// bare returns d without the fields that decodeReference does not set.
func bare(d detail) detail {
	d.InnerError, d.AdditionalInfo = nil, nil
	for i := range d.Details {
		d.Details[i] = bare(d.Details[i])
	}
	return d
}

// FuzzRedaction checks that an error's text never contains a credential, even if other text
// precedes and follows the credential.
func FuzzRedaction(f *testing.F) {
	f.Add("see ", " for more")
	f.Add(`{"url":"`, `"}`)
	f.Add("https://a.test/x\n", "&b=c#d?e")
	f.Add("\\/", "\xff")
	f.Fuzz(func(t *testing.T, before, after string) {
		if strings.Contains(before+after, "canary") {
			return
		}
		for _, secret := range []string{"https://user:canary@a.test/", `https:\/\/canary@a.test`, "https://a.test/x?sig=canary", "?sig=canary", "#token=canary", " Bearer canary", "AccountKey=canary", `"access_token":"canary"`} {
			message := before + secret
			if secret != " Bearer canary" {
				message += after
			}
			d := detail{Code: message, Message: message, Target: message}
			for _, text := range []string{d.Error(), (&lroerrors.StatusError{Detail: &d}).Error(), (&lroerrors.OperationError{Word: message}).Error()} {
				requireText(t, text, 4000)
				require.NotContains(t, text, "canary")
			}
		}
	})
}

// requireText fails the test unless s is one printable line of at most limit bytes.
func requireText(t testing.TB, s string, limit int) {
	t.Helper()
	require.NotEmpty(t, s)
	require.LessOrEqual(t, len(s), limit)
	require.True(t, utf8.ValidString(s), "%q", s)
	require.False(t, strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	}), "%q", s)
}
