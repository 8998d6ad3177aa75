package quirks_test

import (
	"testing"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
)

func TestHiddenProgressQuirks(t *testing.T) {
	checkAll(t, []quirkRow{
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
		{quirks.FlagOnly, onePoll, `
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
	})
}
