package quirks_test

import (
	"testing"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
)

func TestPurgeQuirks(t *testing.T) {
	checkAll(t, []quirkRow{
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
		{quirks.PurgedLater, fakes.Plan{Duration: time.Hour}, `
			seed /w/1 {}
			POST /w/1/restart
			202 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 Location: https://a.test/operationResults/op1?api-version=1
			after 1h
			GET /w/1
			200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded"},"type":"w"}
		`},
	})
}
