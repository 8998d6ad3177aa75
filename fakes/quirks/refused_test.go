package quirks_test

import (
	"testing"

	"github.com/lro-go/lro/fakes/quirks"
)

func TestRefusalQuirks(t *testing.T) {
	checkAll(t, []quirkRow{
		{quirks.DeleteRefusedWhileBusy, onePoll, `
			DELETE /w/1
			204
			seed /w/1 {}
			DELETE /w/1
			409 {"error":{"code":"Conflict","message":"That operation is not possible: another operation is in progress."}}
			DELETE /w/1
			409 {"error":{"code":"Conflict","message":"That operation is not possible: another operation is in progress."}}
			DELETE /w/1
			202 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 Location: https://a.test/operationResults/op1?api-version=1
		`},
		{quirks.NameStillTaken, synchronous, `
			seed /w/1 {}
			DELETE /w/1
			204
			PUT /w/1
			409 {"error":{"code":"ShareBeingDeleted","message":"The specified share is being deleted. Try operation later."}}
			after 59s
			PUT /w/1
			409 {"error":{"code":"ShareBeingDeleted","message":"The specified share is being deleted. Try operation later."}}
			after 1s
			PUT /w/1
			201 {"id":"/w/1","name":"1","properties":{"provisioningState":"Succeeded"},"type":"w"}
		`},
		{quirks.BusyReportedAs429, onePoll, `
			PUT /w/1 {"properties":{"size":1}}
			429 {"error":{"code":"RetryableError","message":"A retryable error occurred."}}
			PUT /w/1 {"properties":{"size":1}}
			429 {"error":{"code":"RetryableError","message":"A retryable error occurred."}}
		` + create},
	})
}
