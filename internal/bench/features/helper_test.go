package features

import (
	"fmt"
	"path"
	"testing"
)

// These are the subjects, in the order of the table.
const (
	azcore    = "azcore"
	hashicorp = "hashicorp"
	lro       = "lro"
)

const (
	group     = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/bench/providers/Microsoft.Contoso"
	version   = "?api-version=2026-01-01"
	operation = "/subscriptions/00000000-0000-0000-0000-000000000000/providers/Microsoft.Contoso/locations/westeurope/operations/11111111-2222-3333-4444-555555555555"
)

// A widget is the result that all subjects decode.
type widget struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Properties struct {
		ProvisioningState string `json:"provisioningState"`
	} `json:"properties"`
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// document returns a status document with the given status.
func document(status string) []byte {
	return fmt.Appendf(nil, `{"id":%q,"name":%q,"status":%q,"percentComplete":40,"properties":{"size":7}}`, operation, path.Base(operation), status)
}

// resource returns the JSON of a widget with the given provisioningState.
func resource(state string) []byte {
	return fmt.Appendf(nil, `{"id":"%s/widgets/w","name":"w","properties":{"provisioningState":%q,"size":7}}`, group, state)
}

// A list is a page of widgets.
type list struct {
	Value    []widget `json:"value"`
	NextLink string   `json:"nextLink"`
}
