package errors_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each row is a body recorded from a real service. IDs and long strings are shortened.
func TestRecordedBodies(t *testing.T) {
	tests := []struct {
		name, doc string
		want      detail
	}{
		{
			"Microsoft.DelegatedNetwork, 500",
			`{"ErrorResponse":{"error":{"code":"500","message":"Error in API: …"}}}`,
			detail{Code: "500", Message: "Error in API: …"},
		},
		{
			"Azure Communication Services, 400",
			`{"CommunicationError": {"Code": "BadRequest", "Message": "Identifier format …", "Details": []}}`,
			detail{Code: "BadRequest", Message: "Identifier format …"},
		},
		{
			"Azure Communication Services, without a message",
			`{"CommunicationError": {"Code": "BadRequest", "Details": []}}`,
			detail{Code: "BadRequest"},
		},
		{
			"Data Lake Storage, 404",
			`{"RemoteException":{"exception":"FileNotFoundException","message":"…","javaClassName":"…"}}`,
			detail{Code: "FileNotFoundException", Message: "…"},
		},
		{
			"Microsoft.RecoveryServices, 500",
			`{"ErrorCode":"CloudInternalError","Message":{"Language":"en-US","Value":"Microsoft Azure Backup …"},"Values":[{"Key":"OperationId","Value":"op1"}]}`,
			detail{Code: "CloudInternalError", Message: "Microsoft Azure Backup …"},
		},
		{
			"Microsoft.Security, 404",
			`{"HttpStatusCode":404,"ErrorCode":"Not Found","Message":"…","Data":{}}`,
			detail{Code: "Not Found", Message: "…"},
		},
		{
			"a localized message without a code",
			`{"Message":{"Language":"en-US","Value":"Microsoft Azure Backup …"}}`,
			detail{Message: "Microsoft Azure Backup …"},
		},
		{
			"Microsoft.Cache, 404",
			`{"type":"https://tools.ietf.org/…","title":"Not Found","status":404,"traceId":"00-…"}`,
			detail{Message: "Not Found", Trace: "00-…"},
		},
		{
			"a resource group whose deletion failed, 409",
			`{"Error":{"Code":"ResourceGroupDeletionBlocked","Target":null,"Message":"…","Details":[{"Code":null,"Target":"…","Message":"{\"error\":{…}}"}]}}`,
			detail{Code: "ResourceGroupDeletionBlocked", Message: "…", Details: []detail{{Target: "…", Message: `{"error":{…}}`}}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, decode(t, tt.doc))
		})
	}
}

// An object with an ErrorCode is a single error, whose Details come from "errors".
func TestErrorCode(t *testing.T) {
	require.Equal(t, detail{Code: "A", Details: []detail{{Code: "B"}}}, decode(t, `{"ErrorCode":"A","errors":[{"code":"B"}]}`))
	require.Equal(t, detail{Code: "A"}, decode(t, `{"ErrorCode":"B","code":"A"}`), "a code takes precedence")
}

// Problem details become a Code and a Message. The documents are the example in section 3 of RFC
// 9457, bodies from ASP.NET Core and other frameworks, and others that only resemble problem
// details.
func TestProblem(t *testing.T) {
	for doc, want := range map[string]detail{
		`{"type":"https://example.com/probs/out-of-credit","title":"You do not have enough credit.",
		  "detail":"Your current balance is 30, but that costs 50.","instance":"/account/12345/msgs/abc"}`: {
			Code: "You do not have enough credit.", Message: "Your current balance is 30, but that costs 50.",
		},
		`{"title":"Bad","status":400,"errors":{"Name":["too long"]}}`: {Message: "Bad", Details: []detail{{Message: `{"Name":["too long"]}`}}},
		`{"title":"Bad","status":400,"code":"A","detail":"too long"}`: {Code: "A", Message: "too long"},
		`{"title":"Bad","status":400,"code":"A"}`:                     {Code: "A", Message: "Bad"},
		`{"title":"Bad","status":400,"message":"too long"}`:           {Message: "too long"},
		`{"title":"Bad","detail":""}`:                                 {},
		`{"title":"A book","status":"Failed"}`:                        {},
		`{"title":"A book","status":4}`:                               {},
		`{"title":"","status":400}`:                                   {},
		`{"detail":"A book"}`:                                         {},
	} {
		require.Equal(t, want, decode(t, doc), doc)
	}
}

// Azure Kubernetes Service uses properties.status to report the reason for a failure (managed
// clusters API, "ManagedClusterStatus" and "AgentPoolStatus").
func TestProvisioningError(t *testing.T) {
	for doc, want := range map[string]detail{
		`{"properties":{"provisioningState":"Failed","status":{"provisioningError":{"code":"A","message":"m","details":[{"code":"B"}]}}}}`: {
			Code: "A", Message: "m", Details: []detail{{Code: "B"}},
		},
		`{"properties":{"error":{"code":"A"},"status":{"provisioningError":{"code":"B"}}}}`: {Code: "A"},
		`{"properties":{"status":{"provisioningError":"m"}}}`:                               {Message: "m"},
		`{"properties":{"status":{"provisioningError":null,"code":"A"}}}`:                   {},
		`{"properties":{"status":"Failed"}}`:                                                {},
		`{"provisioningError":{"code":"A"}}`:                                                {},
	} {
		require.Equal(t, want, decode(t, doc), doc)
	}
}

// The "exception" becomes the code only in a WebHDFS error, which also names a Java class.
func TestExceptionOutsideWebHDFS(t *testing.T) {
	d := decode(t, `{"status":404,"error":"Not Found","exception":"org.example.Missing","message":"no such thing"}`)
	require.Equal(t, detail{Code: "Not Found", Message: "no such thing"}, d)
}

// The depth limit also applies to nested envelopes.
func TestDepthOfEnvelopesIsBounded(t *testing.T) {
	for _, name := range []string{"error", "odata.error", "ErrorEntity", "ErrorResponse", "CommunicationError", "RemoteException"} {
		within := func(n int) string {
			return strings.Repeat(`{"`+name+`":`, n) + `{"code":"A"}` + strings.Repeat(`}`, n)
		}
		require.Equal(t, detail{Code: "A"}, decode(t, within(16)), name)
		require.Equal(t, detail{Message: `{"` + name + `":{"code":"A"}}`}, decode(t, within(17)), name)
	}
}
