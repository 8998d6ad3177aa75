package quirks_test

import (
	"testing"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
)

func TestLostStatusQuirks(t *testing.T) {
	checkAll(t, []quirkRow{
		{quirks.StatusNotFoundAtFirst, onePoll, `
			PUT /w/1 {"properties":{"size":1}}
			201 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 Retry-After: 60 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":1},"type":"w"}
			GET /operationsStatuses/op1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/operationsStatuses/op1' was not found.","target":"/operationsStatuses/op1"}}
			GET /operationsStatuses/op1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/operationsStatuses/op1' was not found.","target":"/operationsStatuses/op1"}}
		` + readAccepted + readSucceeded},
		{quirks.StatusNotFoundMidway, onePoll, create + readAccepted + `
			GET /operationsStatuses/op1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/operationsStatuses/op1' was not found.","target":"/operationsStatuses/op1"}}
		` + readSucceeded},
		{quirks.StatusNeverFound, onePoll, create + `
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
		{quirks.FailureReturns500, failed, `
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
		{quirks.StatusExpires, fakes.Plan{Duration: time.Hour}, create + `
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
		{quirks.StatusReturns408, onePoll, create + `
			GET /operationsStatuses/op1
			408 {"error":{"code":"RequestTimeout","message":"Request Timeout."}}
		` + readAccepted + readSucceeded},
		{quirks.StatusReturns424, onePoll, create + `
			GET /operationsStatuses/op1
			424 {"error":{"code":"FailedDependency","message":"Failed Dependency."}}
		` + readAccepted + readSucceeded},
	})
}
