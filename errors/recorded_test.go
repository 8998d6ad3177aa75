package errors_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each row is a body that was recorded from a real service, with the ids and long texts cut.
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

// An error with an ErrorCode is one error, and its errors are the details.
func TestErrorCode(t *testing.T) {
	require.Equal(t, detail{Code: "A", Details: []detail{{Code: "B"}}}, decode(t, `{"ErrorCode":"A","errors":[{"code":"B"}]}`))
	require.Equal(t, detail{Code: "A"}, decode(t, `{"ErrorCode":"B","code":"A"}`), "a code takes precedence")
}

// An exception is the code of an error only in an error of WebHDFS, which also names a Java class.
func TestExceptionElsewhere(t *testing.T) {
	d := decode(t, `{"status":404,"error":"Not Found","exception":"org.example.Missing","message":"no such thing"}`)
	require.Equal(t, detail{Code: "Not Found", Message: "no such thing"}, d)
}

// Envelopes within envelopes are bounded like other nested errors.
func TestDepthOfEnvelopesIsBounded(t *testing.T) {
	for _, name := range []string{"error", "odata.error", "ErrorEntity", "ErrorResponse", "CommunicationError", "RemoteException"} {
		within := func(n int) string {
			return strings.Repeat(`{"`+name+`":`, n) + `{"code":"A"}` + strings.Repeat(`}`, n)
		}
		require.Equal(t, detail{Code: "A"}, decode(t, within(16)), name)
		require.Equal(t, detail{Message: `{"` + name + `":{"code":"A"}}`}, decode(t, within(17)), name)
	}
}
