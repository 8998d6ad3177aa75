package document

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller/strategy"
)

// Parse ignores the member "properties" if its value is not an object. Some services send such a
// value, and encoding/json would reject the document.
func TestOddPropertiesAreIgnored(t *testing.T) {
	for _, odd := range []string{`5`, `"x"`, `[1]`, `null`, `true`} {
		doc, err := Parse([]byte(`{"properties":` + odd + `,"status":"Failed","operations":[{"properties":` + odd + `,"status":"s"},` + odd + `]}`))
		require.NoError(t, err, odd)
		require.Equal(t, "Failed", Text(doc.Status))
		require.Nil(t, doc.PropertiesState)
		require.Nil(t, doc.PropertiesStatus)
		require.Len(t, doc.operations(), 1, odd)
		require.Equal(t, "s", Text(doc.operations()[0].Status))
	}
	for _, body := range []string{`[]`, `5`, `"x"`, `null`, ``, `{`, `{} {}`} {
		_, err := Parse([]byte(body))
		require.Error(t, err, body)
	}
}

// If a member occurs several times, the last one wins. If the member is "properties", everything
// inside the earlier ones is ignored too.
func TestLastDuplicateMemberWins(t *testing.T) {
	for body, want := range map[string]string{
		`{"properties":{"provisioningState":"Failed"},"properties":null}`:                            "",
		`{"properties":{"provisioningState":"Failed"},"Properties":{}}`:                              "",
		`{"properties":{"provisioningState":"Failed"},"properties":{"provisioningState":"Running"}}`: "Running",
		`{"properties":{"provisioningState":"Failed","ProvisioningState":"Running"}}`:                "Running",
		`{"properties":{"provisioningState":"Running"}}`:                                             "Running",
	} {
		doc, err := Parse([]byte(body))
		require.NoError(t, err)
		require.Equal(t, want, Text(doc.PropertiesState), body)
	}
	doc, err := Parse([]byte(`{"status":"Failed","STATUS":"Running","status":5}`))
	require.NoError(t, err)
	require.Equal(t, "5", string(doc.Status))
}

// A resource's provisioningDetails are reported as the error only if the operation failed. The two
// constants are shortened recordings from Microsoft.Web.
func TestProvisioningDetails(t *testing.T) {
	const (
		running = `{"properties":{"provisioningState":"InProgress","provisioningDetails":"2026-01-19T20:52:04.3897793 Ensuring ScmType …"}}`
		failed  = `{"properties":{"provisioningState":"Failed","provisioningDetails":"System.InvalidOperationException: Deployment …\r\n  at …"}}`
	)
	trace := &lroerrors.Detail{Message: "System.InvalidOperationException: Deployment …\r\n  at …"}
	for body, want := range map[string]*lroerrors.Detail{
		running: nil,
		failed:  trace,
		`{"properties":{"provisioningState":"Canceled","provisioningDetails":"stopping"}}`:                        nil,
		`{"properties":{"provisioningState":"Succeeded","provisioningDetails":"done"}}`:                           nil,
		`{"properties":{"provisioningState":"Failed","provisioningDetails":{"step":5}}}`:                          nil,
		`{"properties":{"provisioningState":"Failed","provisioningDetails":" "}}`:                                 nil,
		`{"properties":{"provisioningState":"Failed","provisioningDetails":"at 1","error":{"code":"A"}}}`:         {Code: "A"},
		`{"properties":{"provisioningState":"Failed","provisioningDetails":"at 1"},"error":{"code":"A"}}`:         {Code: "A"},
		`{"properties":{"provisioningState":"Failed","provisioningDetails":"at 1"},"operations":[{"error":"A"}]}`: {Message: "at 1"},
	} {
		status, err := ResourceStatus(&strategy.Answer{Body: []byte(body)})
		require.NoError(t, err, body)
		require.Equal(t, want, status.Detail, body)
	}
}

// An operation in progress has not failed, even if its document has an error. The operations from
// which these documents were recorded all succeeded later (Microsoft.Cdn, AKS, RecoveryServices,
// DocumentDB and Dynatrace).
func TestErrorWhileInProgress(t *testing.T) {
	for _, body := range []string{
		`{"status":"InProgress","error":{"code":"None","message":null}}`,
		`{"name":"op1","status":"InProgress","error":{"code":"NotLatestOperation","message":"…"}}`,
		`{"name":"op1","status":"InProgress","error":{"code":"OverlaymgrReconcileError","message":""}}`,
		`{"error":{"code":"28061","message":"…","details":null},"status":"InProgress","endTime":null}`,
		`{"status":"Dequeued","error":{}}`,
		`{"id":"…/operationStatuses/op1*HASH","status":"Deleting","error":{}}`,
	} {
		a := strategy.Answer{Body: []byte(body)}
		doc, err := Parse(a.Body)
		require.NoError(t, err)
		require.Equal(t, strategy.InProgress, doc.StatusOf(&a, doc.Word()).State, body)
		succeeded := doc.StatusOf(&a, "Succeeded")
		require.Equal(t, strategy.Succeeded, succeeded.State, body)
	}
}

// FuzzDocument checks that Parse and encoding/json return the same members and reject the same
// documents.
func FuzzDocument(f *testing.F) {
	for _, s := range []string{
		`{"status":"Running","percentComplete":5}`, `{"Status":" a\tb\u0041","ſtatus":"\ud800"}`, "{\"status\":\"\xff\",\"\xff\":1}", `{}`, `null`, `[1]`, `{"a":}`, `{"a":1}x`,
		` { "properties" : { "provisioningState" : "x" , "status" : null } , "others" : [ { } ] } `, `{"properties":5,"properties":{"status":1}}`, `{"properties":{"provisioningDetails":"x"}}`, `{"properties":{"status":1},"properties":[]}`,
		`{"id":"a","name":null,"startTime":"x","endTime":1,"resourceLocation":{},"error":{"code":"c"},"operations":[{"status":"s"},1]}`, `{"\u0073tatus":"a"}`, "\ufeff{}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		type properties struct{ ProvisioningState, Status, ProvisioningDetails json.RawMessage }
		var want struct {
			Status, ProvisioningState, ResourceLocation, ID, Name  json.RawMessage
			StartTime, EndTime, PercentComplete, Error, Operations json.RawMessage
			Properties                                             json.RawMessage
		}
		var all map[string]json.RawMessage
		err := json.Unmarshal(body, &want)
		isObject := err == nil && json.Unmarshal(body, &all) == nil && all != nil
		got, gotErr := Parse(body)
		require.Equal(t, isObject, gotErr == nil, "%v", gotErr)
		if !isObject {
			return
		}
		var in properties
		if strings.HasPrefix(string(want.Properties), "{") {
			require.NoError(t, json.Unmarshal(want.Properties, &in))
		}
		for name, pair := range map[string][2][]byte{
			"status": {want.Status, got.Status}, "provisioningState": {want.ProvisioningState, got.ProvisioningState}, "resourceLocation": {want.ResourceLocation, got.ResourceLocation},
			"id": {want.ID, got.ID}, "name": {want.Name, got.Name}, "startTime": {want.StartTime, got.StartTime}, "endTime": {want.EndTime, got.EndTime},
			"percentComplete": {want.PercentComplete, got.PercentComplete}, "error": {want.Error, got.Error}, "operations": {want.Operations, got.Operations},
			"properties.provisioningState": {in.ProvisioningState, got.PropertiesState}, "properties.status": {in.Status, got.PropertiesStatus},
			"properties.provisioningDetails": {in.ProvisioningDetails, got.ProvisioningDetails},
		} {
			require.Equal(t, string(pair[0]), string(pair[1]), name)
		}
		others := false
		for name := range all {
			others = others || !strings.EqualFold(name, "status")
		}
		require.Equal(t, !others, got.Alone)
		var word string
		if json.Unmarshal(want.Status, &word) == nil && strings.TrimSpace(word) != "" {
			require.Equal(t, word, Text(got.Status))
		} else {
			require.Empty(t, Text(got.Status))
		}
	})
}
