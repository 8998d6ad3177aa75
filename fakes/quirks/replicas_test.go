package quirks_test

import (
	"testing"

	"github.com/lro-go/lro/fakes/quirks"
)

func TestReplicaQuirks(t *testing.T) {
	checkAll(t, []quirkRow{
		{quirks.VisibleAfterDelete, atOnce, `
			seed /w/1 {"properties":{"size":0}}
			DELETE /w/1
			202 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Succeeded","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":0},"type":"w"}
			after 59s
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":0},"type":"w"}
			after 1s
			GET /w/1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1' was not found.","target":"/w/1"}}
		`},
		{quirks.NotFoundAfterCreate, atOnce, create + readSucceeded + `
			GET /w/1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1' was not found.","target":"/w/1"}}
			after 1m
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":1},"type":"w"}
		`},
		{quirks.FlapsAfterCreate, atOnce, create + readSucceeded + `
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":1},"type":"w"}
			GET /w/1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1' was not found.","target":"/w/1"}}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":1},"type":"w"}
			GET /w/1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1' was not found.","target":"/w/1"}}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":1},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":1},"type":"w"}
		`},
		{quirks.SometimesNotFoundAfterCreate, synchronous, `
			PUT /w/1 {"properties":{"size":1}}
			201 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":1},"type":"w"}
			GET /w/1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1' was not found.","target":"/w/1"}}
			GET /w/1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1' was not found.","target":"/w/1"}}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":1},"type":"w"}
			GET /w/1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1' was not found.","target":"/w/1"}}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":1},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":1},"type":"w"}
		`},
		{quirks.ForbiddenAfterCreate, atOnce, create + readSucceeded + `
			GET /w/1
			403 {"error":{"code":"AuthorizationFailed","message":"The client does not have authorization to read the resource '/w/1'."}}
			GET /w/1
			403 {"error":{"code":"AuthorizationFailed","message":"The client does not have authorization to read the resource '/w/1'."}}
			GET /w/1
			403 {"error":{"code":"AuthorizationFailed","message":"The client does not have authorization to read the resource '/w/1'."}}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":1},"type":"w"}
		`},
		{quirks.FlapsAfterChange, atOnce, `
			seed /w/1 {"properties":{"size":0}}
			PUT /w/1 {"properties":{"size":1}}
			200 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":1},"type":"w"}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Succeeded","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":0},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":1},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":0},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":1},"type":"w"}
			after 10m
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":1},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":1},"type":"w"}
		`},
		{quirks.FlapsAfterChange, atOnce, `
			seed /w/1 {}
			DELETE /w/1
			202 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Succeeded","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded"},"type":"w"}
			GET /w/1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1' was not found.","target":"/w/1"}}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded"},"type":"w"}
			after 10m
			GET /w/1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1' was not found.","target":"/w/1"}}
		`},
		{quirks.StaleAfterChange, atOnce, `
			seed /w/1 {"properties":{"size":0}}
			PUT /w/1 {"properties":{"size":1}}
			200 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":1},"type":"w"}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Succeeded","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":0},"type":"w"}
			after 599s
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":0},"type":"w"}
			after 1s
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":1},"type":"w"}
		`},
		{quirks.DeleteReportedEarly, atOnce, `
			seed /w/1 {}
			DELETE /w/1
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationResults/op1
			204
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Deleting"},"type":"w"}
			after 299s
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Deleting"},"type":"w"}
			after 1s
			GET /w/1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1' was not found.","target":"/w/1"}}
		`},
	})
}
