package ibmcloud_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/ibmcloud"
)

// A pointer that is none is told when the operation begins, by the name of its
// field, and not after hours.
func TestPointersThatAreNone(t *testing.T) {
	for name, strategy := range map[string]poller.Strategy{
		"Operation.Status":    ibmcloud.Operation{Status: "state"},
		"Operation.Target":    ibmcloud.Operation{Target: "widget"},
		"Operation.Percent":   ibmcloud.Operation{Percent: "x"},
		"Operation.After":     ibmcloud.Operation{After: "/~"},
		"Resource.Status":     ibmcloud.Resource{Status: "state"},
		"Resource.Lifecycle":  ibmcloud.Resource{Lifecycle: "state"},
		"Resource.Type":       ibmcloud.Resource{Type: "type"},
		"Resource.Href":       ibmcloud.Resource{Href: "href"},
		"Resource.Percent":    ibmcloud.Resource{Percent: "x"},
		"Resource.After":      ibmcloud.Resource{After: "x"},
		"Resource.Cancelable": ibmcloud.Resource{Cancelable: "x"},
	} {
		_, err := strategy.Step(poller.Answer{First: true, Method: "PUT", Target: origin + "/w", URL: origin + "/w", Code: 202})
		require.ErrorContains(t, err, name)
	}
}
