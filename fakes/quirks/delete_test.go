package quirks_test

import (
	"testing"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
)

func TestDeleteQuirks(t *testing.T) {
	checkAll(t, []quirkRow{
		{quirks.GoneBeforeEnd, fakes.Plan{Polls: 1, Style: fakes.Location}, `
			seed /w/1 {}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded"},"type":"w"}
			DELETE /w/1
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /w/1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1' was not found.","target":"/w/1"}}
			GET /operationResults/op1
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationResults/op1
			200
			GET /w/1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1' was not found.","target":"/w/1"}}
		`},
		{quirks.DeleteEndsIn404, onePoll, `
			seed /w/1 {}
			DELETE /w/1
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationResults/op1
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationResults/op1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1' was not found.","target":"/w/1"}}
		`},
		{quirks.DeleteSometimesEndsIn404, onePoll, `
			seed /w/1 {}
			seed /w/2 {}
			DELETE /w/1
			202 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Deleting","startTime":"2000-01-01T00:00:00Z"}
			GET /operationsStatuses/op1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1' was not found.","target":"/w/1"}}
			GET /operationsStatuses/op1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1' was not found.","target":"/w/1"}}
			DELETE /w/2
			202 Azure-AsyncOperation: https://a.test/operationsStatuses/op2?api-version=1 Location: https://a.test/operationResults/op2?api-version=1
			GET /operationsStatuses/op2
			200 {"id":"/operationsStatuses/op2","name":"op2","status":"Deleting","startTime":"2000-01-01T00:00:00Z"}
			GET /operationsStatuses/op2
			200 {"id":"/operationsStatuses/op2","name":"op2","status":"Succeeded","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z"}
		`},
		{quirks.DeleteFailsLater, onePoll, `
			seed /w/1 {}
			DELETE /w/1
			202 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Deleting","startTime":"2000-01-01T00:00:00Z"}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Failed","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z","error":{"code":"OperationFailed","message":"The operation failed."}}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Failed"},"type":"w"}
		`},
		{quirks.ChildGoneBeforeEnd, onePoll, `
			seed /w/1 {}
			seed /w/1/p/2 {}
			DELETE /w/1/p/2
			202 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 Location: https://a.test/operationResults/op1?api-version=1
			GET /w/1/p/2
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1/p/2' was not found.","target":"/w/1/p/2"}}
			DELETE /w/1
			409 {"error":{"code":"CannotDeleteResource","message":"Cannot delete resource while nested resources exist. Some existing nested resource IDs include: '/w/1/p/2'."}}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Deleting","startTime":"2000-01-01T00:00:00Z"}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Succeeded","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z"}
			DELETE /w/1
			202 Azure-AsyncOperation: https://a.test/operationsStatuses/op2?api-version=1 Location: https://a.test/operationResults/op2?api-version=1
		`},
		{quirks.DeleteEndsIn204, onePoll, `
			seed /w/1 {}
			DELETE /w/1
			202 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Deleting","startTime":"2000-01-01T00:00:00Z"}
			GET /operationsStatuses/op1
			204
		`},
		{quirks.DeleteEndsIn204, fakes.Plan{Polls: 1, Style: fakes.Location}, `
			seed /w/1 {}
			DELETE /w/1
			202 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Deleting","startTime":"2000-01-01T00:00:00Z"}
		`},
		{quirks.LocationWithoutBody, onePoll, `
			seed /w/1 {}
			DELETE /w/1
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationResults/op1
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationResults/op1
			200
		`},
	})
}
