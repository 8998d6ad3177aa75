package quirks_test

import (
	"testing"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
)

func TestFirstResponseQuirks(t *testing.T) {
	onePoll := fakes.Plan{Polls: 1}
	holdAll(t, []quirkRow{
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
		{quirks.CapitalState, onePoll, `
			PUT /w/1 {"properties":{"size":1}}
			201 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":1},"type":"w"}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Accepted","startTime":"2000-01-01T00:00:00Z"}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Succeeded","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z"}
			PUT /w/1 {"properties":{"size":2}}
			200 Azure-AsyncOperation: https://a.test/operationsStatuses/op2?api-version=1 Location: https://a.test/w/1?api-version=1 {"id":"/w/1","name":"1","properties":{"ProvisioningState":"InProgress","size":2},"type":"w"}
			GET /operationsStatuses/op2
			200 {"id":"/w/1","name":"1","properties":{"ProvisioningState":"InProgress","size":2},"type":"w"}
			GET /operationsStatuses/op2
			200 {"id":"/w/1","name":"1","properties":{"ProvisioningState":"Succeeded","size":2},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":2},"type":"w"}
		`},
		{quirks.UpdateReverted, onePoll, `
			seed /w/1 {"properties":{"size":1}}
			PUT /w/1 {"properties":{"size":2}}
			200 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":2},"type":"w"}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Accepted","startTime":"2000-01-01T00:00:00Z"}
			GET /operationsStatuses/op1
			200 {"endTime":"2000-01-01T00:00:00Z","id":"/operationsStatuses/op1","name":"op1","startTime":"2000-01-01T00:00:00Z","status":"Succeeded"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":1},"type":"w"}
		`},
		{quirks.StateOnTop, onePoll, `
			PUT /w/1 {"properties":{"size":1}}
			200 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 {"id":"/w/1","name":"1","properties":{"size":1},"provisioningState":"Accepted","type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"size":1},"provisioningState":"Accepted","type":"w"}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Accepted","startTime":"2000-01-01T00:00:00Z"}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Succeeded","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"size":1},"provisioningState":"Succeeded","type":"w"}
		`},
		{quirks.CreatesWith200, onePoll, `
			PUT /w/1
			200 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted"},"type":"w"}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Accepted","startTime":"2000-01-01T00:00:00Z"}
		`},
		{quirks.OnlyAFlag, onePoll, `
			PUT /w/1 {"workspaceId":"x"}
			202
			GET /w/1
			200 {"clusterMonitoringEnabled":false,"workspaceId":"x"}
			GET /w/1
			200 {"clusterMonitoringEnabled":true,"workspaceId":"x"}
			GET /w/1
			200 {"clusterMonitoringEnabled":true,"workspaceId":"x"}
			DELETE /w/1
			202
			GET /w/1
			200 {"clusterMonitoringEnabled":true}
			GET /w/1
			200 {"clusterMonitoringEnabled":false}
			GET /w/1
			200 {"clusterMonitoringEnabled":false}
		`},
		{quirks.StateKeepsMoving, fakes.Plan{Polls: 2}, `
			PUT /w/1
			201 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted"},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted"},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Provisioning"},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded"},"type":"w"}
		`},
		{quirks.SucceededAtFirst, fakes.Plan{Polls: 2}, `
			PUT /w/1
			201 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded"},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted"},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Provisioning"},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded"},"type":"w"}
		`},
		{quirks.PurgedLater, fakes.Plan{Polls: 1, Duration: time.Hour}, `
			seed /w/1 {}
			POST /w/1/purge
			200
			POST /w/checkNameAvailability {"name":"1"}
			200 {"nameAvailable":false,"reason":"AlreadyExists"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded"},"type":"w"}
			after 1h
			GET /w/1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1' was not found.","target":"/w/1"}}
			PUT /w/1
			201 Azure-AsyncOperation: https://a.test/operationsStatuses/op2?api-version=1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted"},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted"},"type":"w"}
		`},
		{quirks.PurgedLater, fakes.Plan{Duration: time.Hour}, `
			seed /w/1 {}
			POST /w/1/purge
			200
			after 59m
			POST /w/checkNameAvailability {"name":"1"}
			200 {"nameAvailable":false,"reason":"AlreadyExists"}
			after 1m
			POST /w/checkNameAvailability {"name":"1"}
			200 {"nameAvailable":true}
			GET /w/1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1' was not found.","target":"/w/1"}}
		`},
		{quirks.DeletedWith200, onePoll, `
			seed /w/1 {}
			DELETE /w/1
			200
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Deleting"},"type":"w"}
			GET /w/1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1' was not found.","target":"/w/1"}}
		`},
		{quirks.DeletedWith202, onePoll, `
			seed /w/1 {}
			DELETE /w/1
			202
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Deleting"},"type":"w"}
			GET /w/1
			404 {"error":{"code":"ResourceNotFound","message":"The resource '/w/1' was not found.","target":"/w/1"}}
		`},
		{quirks.NoHeaderBesideAnother, onePoll, `
			PUT /w/1 {"properties":{"size":1}}
			201 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":1},"type":"w"}
			PUT /w/1 {"properties":{"size":2}}
			201 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":2},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":2},"type":"w"}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Accepted","startTime":"2000-01-01T00:00:00Z"}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Succeeded","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":2},"type":"w"}
		`},
	})
}
