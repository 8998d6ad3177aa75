package quirks_test

import (
	"testing"

	"github.com/lro-go/lro/fakes/quirks"
)

func TestRegistrationQuirks(t *testing.T) {
	checkAll(t, []quirkRow{
		{quirks.RegistrationFlaps, onePoll, `
			POST /w/1/register
			200 {"id":"/w/1","namespace":"1","properties":{},"registrationState":"Registering","type":"w"}
			GET /w/1
			200 {"id":"/w/1","namespace":"1","properties":{},"registrationState":"Registering","type":"w"}
			GET /w/1
			200 {"id":"/w/1","namespace":"1","properties":{},"registrationState":"Registered","type":"w"}
			GET /w/1
			200 {"id":"/w/1","namespace":"1","properties":{},"registrationState":"Registering","type":"w"}
			GET /w/1
			200 {"id":"/w/1","namespace":"1","properties":{},"registrationState":"Registered","type":"w"}
			GET /w/1
			200 {"id":"/w/1","namespace":"1","properties":{},"registrationState":"Registering","type":"w"}
			GET /w/1
			200 {"id":"/w/1","namespace":"1","properties":{},"registrationState":"Registered","type":"w"}
			GET /w/1
			200 {"id":"/w/1","namespace":"1","properties":{},"registrationState":"Registered","type":"w"}
			GET /w/1
			200 {"id":"/w/1","namespace":"1","properties":{},"registrationState":"Registered","type":"w"}
		`},
		{quirks.RegistrationFlaps, atOnce, `
			POST /w/1/features/2/register
			200 {"id":"/w/1/features/2","name":"2","properties":{"state":"Registering"},"type":"w/features"}
			GET /w/1/features/2
			200 {"id":"/w/1/features/2","name":"2","properties":{"state":"Registered"},"type":"w/features"}
		`},
	})
}
