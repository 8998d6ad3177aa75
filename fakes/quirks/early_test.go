package quirks_test

import (
	"testing"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
)

func TestEarlySuccessQuirks(t *testing.T) {
	checkAll(t, []quirkRow{
		{quirks.SucceededBeforeProtected, onePoll, `
			PUT /w/1 {"properties":{"size":1}}
			201 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 {"id":"/w/1","name":"1","properties":{"currentProtectionState":"ConfiguringProtection","provisioningState":"Accepted","size":1},"type":"w"}
		` + readAccepted + readSucceeded + `
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"currentProtectionState":"ConfiguringProtection","provisioningState":"Succeeded","size":1},"type":"w"}
			after 5m
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"currentProtectionState":"ProtectionConfigured","provisioningState":"Succeeded","size":1},"type":"w"}
		`},
		{quirks.SucceededBeforeRunning, onePoll, `
			PUT /w/1 {"properties":{"size":1}}
			201 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","resourceState":"Creating","size":1},"type":"w"}
		` + readAccepted + readSucceeded + `
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","resourceState":"Creating","size":1},"type":"w"}
			after 5m
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","resourceState":"Running","size":1},"type":"w"}
		`},
		{quirks.SucceededBeforeRouted, onePoll, `
			PUT /w/1 {"properties":{"size":1}}
			201 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","routingState":"Provisioning","size":1},"type":"w"}
		` + readAccepted + readSucceeded + `
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","routingState":"Provisioning","size":1},"type":"w"}
			after 5m
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","routingState":"Provisioned","size":1},"type":"w"}
		`},
		{quirks.SucceededWhileCreating, onePoll, create + readAccepted + readSucceeded + `
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Creating","size":1},"type":"w"}
			after 5m
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":1},"type":"w"}
		`},
		{quirks.SucceededWhileCreating, fakes.Plan{Polls: 1, Style: fakes.Location}, `
			seed /w/1 {"properties":{"size":0}}
			PUT /w/1 {"properties":{"size":1}}
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationResults/op1
			202 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationResults/op1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Updating","size":1},"type":"w"}
			after 5m
			GET /operationResults/op1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded","size":1},"type":"w"}
		`},
	})
}
