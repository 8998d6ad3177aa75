package ibmcloud_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/ibmcloud"
)

// If a field is not a JSON pointer, Begin sends nothing and returns an error that names the field.
func TestInvalidPointers(t *testing.T) {
	for name, strategy := range map[string]poller.Strategy{
		"Operation.Status":  ibmcloud.Operation{Status: "state"},
		"Operation.Target":  ibmcloud.Operation{Target: "widget"},
		"Operation.Percent": ibmcloud.Operation{Percent: "x"},
		"Operation.After":   ibmcloud.Operation{After: "/~"},
	} {
		s := &service{}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, origin+"/w", http.NoBody)
		require.NoError(t, err)
		_, err = poller.Begin[raw](req, s.client(), &poller.Options{Strategy: strategy})
		require.ErrorContains(t, err, name)
		require.Empty(t, s.requests())
	}
}
