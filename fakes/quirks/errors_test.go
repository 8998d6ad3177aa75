package quirks_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
)

// W41: what tells that an operation has failed, as a whole answer and, if it can
// stand there, within a status document.
func TestQuirksOfErrors(t *testing.T) {
	tests := []struct {
		quirk quirks.Quirk
		body  string
	}{
		{quirks.ErrorAdditionalInfo, `{"error":{"additionalInfo":[{"info":{"activityId":"a0000000-0000-4000-8000-000000000001"},"type":"ActivityId"}],"code":"Quota","message":"No more widgets."}}`},
		{quirks.ErrorDetailsExtended, `{"error":{"code":"BadRequest","details":[{"activityId":"a0000000-0000-4000-8000-000000000001","clientRequestId":"c0000000-0000-4000-8000-000000000001","code":"Quota","message":"No more widgets.","possibleCauses":"Another request was faster.","recommendedAction":"Try again."}],"message":"The request is not valid."}}`},
		{quirks.ErrorNested, `{"error":{"code":"ValidationError","details":[{"additionalInfo":[],"code":"Quota","details":[{"additionalInfo":[],"code":"Inner","details":[],"message":"The inner reason."}],"message":"No more widgets.","target":"name"}],"message":"One or more validation errors occurred."}}`},
		{quirks.ErrorWithoutCode, `{"error":{"message":"No more widgets."}}`},
		{quirks.ErrorAbsent, `{"status":"Failed"}`},
		{quirks.ErrorBelowProperties, `{"properties":{"error":{"code":"Quota","message":"No more widgets."}}}`},
		{quirks.ErrorMessageObject, `{"error":{"code":"Quota","message":{"lang":"en-us","value":"No more widgets."}}}`},
		{quirks.ErrorDetailsObject, `{"error":{"code":"Quota","details":{"code":"Inner","message":"The inner reason."},"message":"No more widgets."}}`},
		{quirks.ErrorNull, `{"error":null}`},
		{quirks.ErrorIsString, `{"error":"No more widgets."}`},
		{quirks.ErrorNumericCode, `{"error":{"code":40901,"message":"No more widgets."}}`},
		{quirks.ErrorCodeInHeader, `{}`},
		{quirks.ErrorCapitalized, `{"Code":"Quota","Details":[{"Message":"No more widgets."},{"Code":"Quota"},{"ErrorEntity":{"Code":"Quota","ExtendedCode":"01","Message":"No more widgets.","MessageTemplate":"{0}","Parameters":[]}}],"Innererror":null,"Message":"No more widgets.","Target":null}`},
		{quirks.ErrorEmpty, ``},
		{quirks.ErrorText, `No more widgets.`},
		{quirks.ErrorQuoted, `"No more widgets."`},
		{quirks.ErrorUnknown, `{"something-went":"wrong"}`},
	}
	for _, tt := range tests {
		t.Run(string(tt.quirk), func(t *testing.T) {
			svc := &fakes.Service{Default: failed}
			svc.Quirk(tt.quirk, "")
			c := newTester(t, svc)
			begun := c.do(http.MethodPut, widget, "")
			require.Empty(t, c.get(resultURL).body)
			r := c.get(resultURL)
			require.Equal(t, 409, r.code)
			require.Equal(t, tt.body, r.body)
			if tt.quirk != quirks.ErrorCodeInHeader {
				require.Empty(t, r.header.Get("X-Ms-Error-Code"))
			}
			if begun.header.Get("Azure-AsyncOperation") == "" {
				return
			}
			var error, document map[string]any
			require.NoError(t, json.Unmarshal([]byte(tt.body), &error))
			require.NoError(t, json.Unmarshal([]byte(c.get(statusURL).body), &document))
			require.Equal(t, "Failed", document["status"])
			require.Subset(t, document, error)
		})
	}
}

func TestQuirkErrorCodeInHeader(t *testing.T) {
	svc := &fakes.Service{Default: failed}
	svc.Quirk(quirks.ErrorCodeInHeader, "")
	c := newTester(t, svc)
	c.do(http.MethodPut, widget, "")
	require.Empty(t, c.get(statusURL).header.Get("X-Ms-Error-Code"))
	require.Equal(t, "Quota", c.get(statusURL).header.Get("X-Ms-Error-Code"))
}

// What is no JSON says so, and a page ends in the middle.
func TestQuirksOfErrorsThatAreNoJSON(t *testing.T) {
	for quirk, want := range map[quirks.Quirk]string{
		quirks.ErrorHTML: "text/html; charset=utf-8", quirks.ErrorText: "text/plain; charset=utf-8", quirks.ErrorEmpty: "",
	} {
		svc := &fakes.Service{Default: unfit}
		svc.Quirk(quirk, "")
		r := newTester(t, svc).do(http.MethodPut, widget, "")
		require.Equal(t, 422, r.code, "a request that is refused is told so, too")
		require.Equal(t, want, r.header.Get("Content-Type"))
		if quirk == quirks.ErrorHTML {
			require.Contains(t, r.body, "<title>Runtime Error</title>")
			require.False(t, strings.Contains(r.body, "</body>"))
		}
	}
}

// What succeeds has no error to be written otherwise, and is told as it was.
func TestQuirksOfErrorsWhereThereIsNone(t *testing.T) {
	for _, quirk := range quirks.All() {
		if !strings.HasPrefix(string(quirk), "W41/") {
			continue
		}
		svc := &fakes.Service{Default: onePoll}
		svc.Quirk(quirk, "")
		c := newTester(t, svc)
		require.Equal(t, statusURL, c.do(http.MethodPut, widget, "").header.Get("Azure-AsyncOperation"), quirk)
		c.get(statusURL)
		require.Equal(t, "Succeeded", c.get(statusURL).status(), quirk)
	}
}
