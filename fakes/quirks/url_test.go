package quirks_test

import (
	"testing"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
)

func TestURLQuirks(t *testing.T) {
	statusAndLocation := fakes.Plan{Polls: 1, Style: fakes.Location | fakes.AzureAsyncOperation}
	checkAll(t, []quirkRow{
		{quirks.RespelledOrigin, statusAndLocation, `
			seed /w/1 {}
			DELETE /w/1
			202 Azure-AsyncOperation: HTTPS://A.TEST:443/operationsStatuses/op1?api-version=1 Location: HTTPS://A.TEST:443/operationResults/op1?api-version=1
			GET HTTPS://A.TEST:443/operationResults/op1?api-version=1
			202 Location: HTTPS://A.TEST:443/operationResults/op1?api-version=1
		`},
		{quirks.LocationOnOtherHost, statusAndLocation, `
			seed /w/1 {}
			POST /w/1/export
			202 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 Location: https://widgets.trafficmanager.example/operationResults/op1?api-version=1
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Accepted","startTime":"2000-01-01T00:00:00Z"}
			GET https://widgets.trafficmanager.example/operationResults/op1?api-version=1
			204
		`},
		{quirks.PlainHTTPLocation, fakes.Plan{Polls: 2, Style: fakes.Location}, `
			seed /w/1 {}
			POST /w/1/deploy
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationResults/op1?api-version=1
			202 Location: http://a.test:80/operationResults/op1?api-version=1
			GET /operationResults/op1?api-version=1
			202 Location: http://a.test:80/operationResults/op1?api-version=1
			GET /operationResults/op1?api-version=1
			204
		`},
		{quirks.LocationUnversioned, statusAndLocation, `
			seed /w/1 {}
			POST /w/1/start?x=y&api-version=1
			202 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?x=y&api-version=1 Location: https://a.test/operationResults/op1?x=y
			GET /operationResults/op1?x=y
			400 {"error":{"code":"MissingApiVersionParameter","message":"The api-version query parameter is required for all requests."}}
			GET /operationResults/op1
			202 Location: https://a.test/operationResults/op1?x=y
			GET /operationResults/op1?x=y&api-version=1
			204
		`},
		{quirks.AsteriskInURL, statusAndLocation, `
			seed /w/1 {}
			DELETE /w/1
			202 Azure-AsyncOperation: https://a.test/operationsStatuses/op1*1?api-version=1 Location: https://a.test/operationResults/op1*1?api-version=1
			GET /operationResults/op1*1
			202 Location: https://a.test/operationResults/op1*1?api-version=1
			GET /operationsStatuses/op1*1
			200 {"id":"/operationsStatuses/op1*1","name":"op1*1","status":"Succeeded","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z"}
			GET /operationsStatuses/op1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/operationsStatuses/op1' was not found.","target":"/operationsStatuses/op1"}}
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
	})
}
