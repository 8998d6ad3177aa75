package quirks_test

import (
	"testing"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
)

func TestFirstResponseQuirks(t *testing.T) {
	checkAll(t, []quirkRow{
		{quirks.CapitalizedState, onePoll, create + readAccepted + readSucceeded + `
			PUT /w/1 {"properties":{"size":2}}
			200 Azure-AsyncOperation: https://a.test/operationsStatuses/op2?api-version=1 Location: https://a.test/w/1?api-version=1 {"id":"/w/1","name":"1","properties":{"ProvisioningState":"InProgress","size":2},"type":"w"}
			GET /operationsStatuses/op2
			200 {"id":"/w/1","name":"1","properties":{"ProvisioningState":"InProgress","size":2},"type":"w"}
			GET /operationsStatuses/op2
			200 {"id":"/w/1","name":"1","properties":{"ProvisioningState":"Succeeded","size":2},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":2},"type":"w"}
		`},
		{quirks.TopLevelState, onePoll, `
			PUT /w/1 {"properties":{"size":1}}
			200 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 {"id":"/w/1","name":"1","properties":{"size":1},"provisioningState":"Accepted","type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"size":1},"provisioningState":"Accepted","type":"w"}
		` + readAccepted + readSucceeded + `
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"size":1},"provisioningState":"Succeeded","type":"w"}
		`},
		{quirks.CreatesWith200, onePoll, `
			PUT /w/1
			200 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted"},"type":"w"}
		` + readAccepted},
		{quirks.StateKeepsChanging, fakes.Plan{Polls: 2}, `
			PUT /w/1
			201 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted"},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted"},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Provisioning"},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded"},"type":"w"}
		`},
		{quirks.OverlappingPutWithoutHeader, onePoll, create + `
			PUT /w/1 {"properties":{"size":2}}
			201 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":2},"type":"w"}
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":2},"type":"w"}
		` + readAccepted + readSucceeded + `
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":2},"type":"w"}
		`},
	})
}
