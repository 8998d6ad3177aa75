package quirks_test

import (
	"testing"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
)

func TestEndingQuirks(t *testing.T) {
	const createAgain = `
		PUT /w/1 {"properties":{"size":1}}
		200 Azure-AsyncOperation: https://a.test/operationsStatuses/op2?api-version=1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":1},"type":"w"}
		GET /operationsStatuses/op2
		200 {"id":"/operationsStatuses/op2","name":"op2","status":"Accepted","startTime":"2000-01-01T00:00:00Z"}
		GET /operationsStatuses/op2
		200 {"id":"/operationsStatuses/op2","name":"op2","status":"Succeeded","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z"}
	`
	checkAll(t, []quirkRow{
		{quirks.SuccessWithoutBody, fakes.Plan{Polls: 1, Style: fakes.Location | fakes.AzureAsyncOperation}, `
			PUT /w/1
			201 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 Location: https://a.test/operationResults/op1?api-version=1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted"},"type":"w"}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Accepted","startTime":"2000-01-01T00:00:00Z"}
			GET /operationsStatuses/op1
			200
			GET /operationResults/op1
			200
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded"},"type":"w"}
		`},
		{quirks.SuccessWithoutBody, fakes.Plan{Polls: 1, Ending: fakes.Failed}, create + readAccepted + `
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Failed","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z","error":{"code":"OperationFailed","message":"The operation failed."}}
		`},
		{quirks.StateCompleted, onePoll, `
			PUT /w/1
			201 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted"},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted"},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Completed"},"type":"w"}
		`},
		{quirks.FailsWithInternalError, onePoll, create + readAccepted + `
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Failed","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z","error":{"code":"InternalServerError","message":"An error occurred."}}
		` + createAgain},
		{quirks.FailsWithRetryableError, onePoll, create + readAccepted + `
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Failed","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z","error":{"code":"RetryableError","message":"A retryable error occurred.","details":[{"code":"ReferencedResourceNotProvisioned","message":"A resource that is referred to is not provisioned."}]}}
		` + createAgain},
		{quirks.FailsWithBusyError, onePoll, create + readAccepted + `
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Failed","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z","error":{"code":"StorageAccountOperationInProgress","message":"An operation on the storage account is in progress."}}
		` + createAgain},
		{quirks.Preempted, fakes.Plan{Polls: 2}, create + readAccepted + `
			PUT /w/1 {"properties":{"size":2}}
			200 Azure-AsyncOperation: https://a.test/operationsStatuses/op2?api-version=1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":2},"type":"w"}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Canceled","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z","error":{"code":"OperationPreempted","message":"The operation was preempted by a more recent one."}}
			GET /operationsStatuses/op2
			200 {"id":"/operationsStatuses/op2","name":"op2","status":"Accepted","startTime":"2000-01-01T00:00:00Z"}
			GET /operationsStatuses/op2
			200 {"id":"/operationsStatuses/op2","name":"op2","status":"Provisioning","startTime":"2000-01-01T00:00:00Z"}
			GET /operationsStatuses/op2
			200 {"id":"/operationsStatuses/op2","name":"op2","status":"Succeeded","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":2},"type":"w"}
		`},
		{quirks.ReportCompleted, fakes.Plan{Polls: 1, Result: map[string]int{"blobCount": 1}}, `
			seed /w/1 {}
			POST /w/1/report
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationResults/op1
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationResults/op1
			200 {"id":"/operationResults/op1","manifest":{"blobCount":1},"name":"op1","status":"Completed"}
		`},
		{quirks.ErrorWithoutCode, fakes.Plan{Polls: 1, Ending: fakes.Failed, Error: fakes.Error{Code: "X", Message: "no license"}}, create + readAccepted + `
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Failed","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z","error":{"message":"no license"}}
		`},
	})
}
