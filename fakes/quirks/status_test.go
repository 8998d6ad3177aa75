package quirks_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
)

func TestStatusQuirks(t *testing.T) {
	checkAll(t, []quirkRow{
		{quirks.NoStatus, onePoll, `
			PUT /w/1
			201 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted"},"type":"w"}
			GET /operationsStatuses/op1
			200 {"id":"/w/1","name":"1","properties":{},"type":"w"}
			GET /operationsStatuses/op1
			200 {"id":"/w/1","name":"1","properties":{},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded"},"type":"w"}
		`},
		{quirks.DeletingForever, onePoll, `
			seed /w/1 {}
			DELETE /w/1
			202 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1
			GET /operationsStatuses/op1
			200 {"status":"Deleting","percentComplete":100}
			GET /operationsStatuses/op1
			200 {"status":"Deleting","percentComplete":100}
			GET /operationsStatuses/op1
			200 {"status":"Deleting","percentComplete":100}
			GET /w/1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1' was not found.","target":"/w/1"}}
		`},
		{quirks.NeverEnds, fakes.Plan{Polls: 1, Style: fakes.Location | fakes.AzureAsyncOperation | fakes.OperationLocation}, `
			PUT /w/1
			201 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 Operation-Location: https://a.test/operations/op1?api-version=1 Location: https://a.test/operationResults/op1?api-version=1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted"},"type":"w"}
		` + readAccepted + readAccepted + `
			GET /operations/op1
			200 {"id":"op1","status":"Accepted"}
			GET /operationResults/op1
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded"},"type":"w"}
		`},
		{quirks.ResultWithoutState, onePoll, `
			PUT /w/1 {"properties":{"thumbprint":"x"}}
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /w/1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1' was not found.","target":"/w/1"}}
			GET /operationResults/op1
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationResults/op1
			201 {"id":"/w/1","name":"1","properties":{"thumbprint":"x"},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"thumbprint":"x"},"type":"w"}
		`},
		{quirks.LocationNeverEnds, onePoll, `
			PUT /w/1
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationResults/op1
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationResults/op1
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationResults/op1
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{},"type":"w"}
		`},
		{quirks.NonstandardTimes, onePoll, `
			PUT /w/1
			201 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted"},"type":"w"}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","startTime":"2000-01-01 00:00:00 +0000","status":"Accepted"}
			after 90s
			GET /operationsStatuses/op1
			200 {"endTime":"2000-01-01 00:00:00 +0000","id":"/operationsStatuses/op1","name":"op1","startTime":"2000-01-01 00:00:00 +0000","status":"Succeeded"}
		`},
		{quirks.ResourceAsStatus, onePoll, `
			PUT /w/1
			201 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted"},"type":"w"}
			GET /operationsStatuses/op1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted"},"type":"w"}
			GET /operationsStatuses/op1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded"},"type":"w"}
		`},
		{quirks.ResourceAsStatus, failed, `
			PUT /w/1
			201 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted"},"type":"w"}
			GET /operationsStatuses/op1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted"},"type":"w"}
			GET /operationsStatuses/op1
			200 {"error":{"code":"Quota","message":"No more widgets."},"id":"/w/1","name":"1","properties":{"provisioningState":"Failed"},"type":"w"}
		`},
		{quirks.StatusAtLocation, onePoll, `
			PUT /w/1
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationResults/op1
			200 {"id":"/operationResults/op1","name":"op1","status":"Accepted","startTime":"2000-01-01T00:00:00Z"}
			GET /operationResults/op1
			200 {"id":"/operationResults/op1","name":"op1","status":"Succeeded","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z"}
		`},
		{quirks.StatusAtLocation, failed, `
			PUT /w/1
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationResults/op1
			200 {"id":"/operationResults/op1","name":"op1","status":"Accepted","startTime":"2000-01-01T00:00:00Z"}
			GET /operationResults/op1
			200 {"id":"/operationResults/op1","name":"op1","status":"Failed","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z","error":{"code":"Quota","message":"No more widgets."}}
		`},
	})
}

// Each poll shows the next word in a list. Each operation starts where the previous operation
// stopped.
func TestNonstandardWords(t *testing.T) {
	words := []string{
		"Running", "newManagedIdentityCredentialStep", "notifySyncServicePartition", "runServerJob", "provisioningResources",
		"AuthorizeReplication", "BreakReplication", "Requested", "Updating", "Pending", "Dequeued", "Enqueued",
		"InProgress:Failed to place 1 of 3 replicas, trying again",
	}
	svc := &fakes.Service{}
	svc.Quirk(quirks.NonstandardWords, "")
	c := newTester(t, svc)
	for i, path := range []string{"/w/1", "/w/2", "/w/3"} {
		url := c.do("PUT", path, "").header.Get("Azure-AsyncOperation")
		require.Equal(t, []string{words[2*i], words[2*i+1], "Succeeded"}, []string{c.get(url).status(), c.get(url).status(), c.get(url).status()})
	}
	svc.Plan(fakes.Plan{Path: "/w/long", Polls: 30})
	url := c.do("PUT", "/w/long", "").header.Get("Azure-AsyncOperation")
	for i := range 30 {
		require.Equal(t, words[(i+6)%len(words)], c.get(url).status())
	}
	require.Equal(t, "Succeeded", c.get(url).status())
}
