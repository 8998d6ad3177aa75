package ibmcloud_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/ibmcloud"
)

// Validate reports an invalid pointer by the name of its field, before anything is
// sent.
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
