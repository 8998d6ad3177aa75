package quirks_test

import (
	"testing"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
)

func TestLostStatusQuirks(t *testing.T) {
	holdAll(t, []quirkRow{
		{quirks.StatusLate, onePoll, `
			PUT /w/1 {"properties":{"size":1}}
			201 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 Retry-After: 60 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":1},"type":"w"}
			GET /operationsStatuses/op1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/operationsStatuses/op1' was not found.","target":"/operationsStatuses/op1"}}
			GET /operationsStatuses/op1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/operationsStatuses/op1' was not found.","target":"/operationsStatuses/op1"}}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Accepted","startTime":"2000-01-01T00:00:00Z"}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Succeeded","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z"}
		`},
		{quirks.StatusGoneMidway, onePoll, `
			PUT /w/1 {"properties":{"size":1}}
			201 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":1},"type":"w"}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Accepted","startTime":"2000-01-01T00:00:00Z"}
			GET /operationsStatuses/op1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/operationsStatuses/op1' was not found.","target":"/operationsStatuses/op1"}}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Succeeded","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z"}
		`},
		{quirks.AsyncIDInLocation, onePoll, `
			PUT /w/1 {"properties":{"size":1}}
			202 Location: https://a.test/w/1?api-version=1&asyncId=op1&asyncCode=201
			GET /w/1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1' was not found.","target":"/w/1"}}
			GET /w/1?api-version=1&asyncId=op1&asyncCode=201
			202 Location: https://a.test/w/1?api-version=1&asyncId=op1&asyncCode=201
			GET /w/1?api-version=1&asyncId=op1&asyncCode=201
			201 {"id":"/w/1","name":"1","properties":{"size":1},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"size":1},"type":"w"}
		`},
		{quirks.AsyncIDInLocation, failed, `
			PUT /w/1 {"properties":{"size":1}}
			202 Location: https://a.test/w/1?api-version=1&asyncId=op1&asyncCode=201
			GET /w/1?api-version=1&asyncId=op1&asyncCode=201
			202 Location: https://a.test/w/1?api-version=1&asyncId=op1&asyncCode=201
			GET /w/1?api-version=1&asyncId=op1&asyncCode=201
			409 {"error":{"code":"Quota","message":"No more widgets."}}
			GET /w/1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1' was not found.","target":"/w/1"}}
		`},
		{quirks.AsyncIDInLocation, failed, `
			seed /w/1 {"properties":{"size":0}}
			PUT /w/1 {"properties":{"size":1}}
			202 Location: https://a.test/w/1?api-version=1&asyncId=op1&asyncCode=200
			GET /w/1?api-version=1&asyncId=op1&asyncCode=200
			202 Location: https://a.test/w/1?api-version=1&asyncId=op1&asyncCode=200
			GET /w/1?api-version=1&asyncId=op1&asyncCode=200
			409 {"error":{"code":"Quota","message":"No more widgets."}}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"size":0},"type":"w"}
		`},
		{quirks.AsyncIDInLocation, fakes.Plan{Polls: 1, StatusCode: 201, Ending: fakes.Failed}, `
			PUT /w/1 {"properties":{"size":1}}
			201 Location: https://a.test/w/1?api-version=1&asyncId=op1&asyncCode=201 {"id":"/w/1","name":"1","properties":{"size":1},"type":"w"}
			GET /w/1?api-version=1&asyncId=op1&asyncCode=201
			202 Location: https://a.test/w/1?api-version=1&asyncId=op1&asyncCode=201
			GET /w/1?api-version=1&asyncId=op1&asyncCode=201
			409 {"error":{"code":"OperationFailed","message":"The operation failed."}}
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
		{quirks.DeleteEndsIn404AtTimes, onePoll, `
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
		{quirks.PurgeNeverEnds, onePoll, `
			seed /w/1 {}
			POST /w/1/purge
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationResults/op1
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationResults/op1
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /w/1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1' was not found.","target":"/w/1"}}
			GET /operationResults/op1
			202 Location: https://a.test/operationResults/op1?api-version=1
		`},
		{quirks.StatusNeverFound, onePoll, `
			PUT /w/1 {"properties":{"size":1}}
			201 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":1},"type":"w"}
			GET /operationsStatuses/op1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/operationsStatuses/op1' was not found.","target":"/operationsStatuses/op1"}}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":1},"type":"w"}
			GET /operationsStatuses/op1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/operationsStatuses/op1' was not found.","target":"/operationsStatuses/op1"}}
		`},
		{quirks.StatusURLInvalid, onePoll, `
			PUT /w/1 {"properties":{"size":1}}
			201 Azure-AsyncOperation: https:///operationsStatuses/op1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":1},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":1},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":1},"type":"w"}
		`},
		{quirks.FailedResultIs500, failed, `
			seed /w/1 {"properties":{"size":0}}
			PATCH /w/1 {"properties":{"size":1}}
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationResults/op1
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationResults/op1
			500 {"error":{"code":"InternalServerError","message":"Internal server error."}}
			GET /operationResults/op1
			500 {"error":{"code":"InternalServerError","message":"Internal server error."}}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Failed","size":0},"type":"w"}
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
		{quirks.StatusExpires, fakes.Plan{Duration: time.Hour}, `
			PUT /w/1 {"properties":{"size":1}}
			201 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":1},"type":"w"}
			after 19m59s
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Accepted","startTime":"2000-01-01T00:00:00Z"}
			after 1s
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1"}
			after 40m
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":1},"type":"w"}
		`},
		{quirks.StatusTimesOut, onePoll, `
			PUT /w/1 {"properties":{"size":1}}
			201 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":1},"type":"w"}
			GET /operationsStatuses/op1
			408 {"error":{"code":"RequestTimeout","message":"Request Timeout."}}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Accepted","startTime":"2000-01-01T00:00:00Z"}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Succeeded","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z"}
		`},
		{quirks.StatusDependencyFails, onePoll, `
			PUT /w/1 {"properties":{"size":1}}
			201 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":1},"type":"w"}
			GET /operationsStatuses/op1
			424 {"error":{"code":"FailedDependency","message":"Failed Dependency."}}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Accepted","startTime":"2000-01-01T00:00:00Z"}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Succeeded","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z"}
		`},
	})
}
