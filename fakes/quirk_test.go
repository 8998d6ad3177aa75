package fakes_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// W3: the resource is gone while its deletion goes on.
func TestQuirkGoneBeforeEnd(t *testing.T) {
	svc := &fakes.Service{}
	svc.Put(widget, struct{}{})
	svc.Quirk(fakes.GoneBeforeEnd, widget)
	c := newTester(t, svc)
	require.Equal(t, 200, c.get(widget).code)
	require.Equal(t, 202, c.do("DELETE", widget, "").code)
	require.Equal(t, 404, c.get(widget).code)
	require.Contains(t, c.get(statusURL).body, `"Deleting"`)
}

func TestQuirkUnknown(t *testing.T) {
	require.Panics(t, func() { new(fakes.Service).Quirk("W0", "") })
}
