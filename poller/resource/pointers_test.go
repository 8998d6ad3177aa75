package resource_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/resource"
)

// If a field contains an invalid JSON pointer, Begin sends nothing and returns an error that names
// the field.
func TestInvalidPointers(t *testing.T) {
	for name, s := range map[string]resource.Strategy{
		"Strategy.Status":     {Status: "state"},
		"Strategy.Lifecycle":  {Lifecycle: "state"},
		"Strategy.Type":       {Type: "type"},
		"Strategy.Href":       {Href: "href"},
		"Strategy.Percent":    {Percent: "x"},
		"Strategy.After":      {After: "x"},
		"Strategy.Cancelable": {Cancelable: "x"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "https://api.example.test/w", http.NoBody)
		require.NoError(t, err)
		client := fakes.Client(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Errorf("%s: a request was sent", name) }))
		_, err = poller.Begin[map[string]any](req, client, &poller.Options{Strategy: s})
		require.ErrorContains(t, err, name)
	}
}
