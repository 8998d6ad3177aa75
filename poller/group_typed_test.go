package poller_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
)

// labeled is an operation with a label. The test adds it to a group as a pointer.
type labeled struct {
	*poller.Poller[int]
	label string
}

// titled stands in for an interface that a user of the package defines.
type titled interface {
	poller.Operation
	title() string
}

func (l *labeled) title() string { return l.label }
func (n named) title() string    { return n.name }

// Wait yields each operation with the type that the group was created for, such as a struct or an
// interface.
func TestGroupYieldsAddedType(t *testing.T) {
	numbers := func(t *testing.T) *poller.Poller[int] {
		t.Helper()
		p, err := poller.Begin[int](newRequest(t, "POST", "/a"), fleet(map[string][]reply{"a": {"200 7"}}).client(), nil)
		require.NoError(t, err)
		return p
	}
	bubble(t, func(t *testing.T) {
		g := poller.NewGroup[*poller.Poller[int]](nil)
		g.Add(numbers(t))
		g.Close()
		for p, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
			n, err := p.Result(t.Context())
			require.NoError(t, err)
			require.Equal(t, 7, n)
		}
		require.Equal(t, 1, g.Stats().Ended)
	})
	bubble(t, func(t *testing.T) {
		var g poller.Group[named]
		g.Add(follow(t, fleet(map[string][]reply{"b": {"200 8"}}), "b", nil))
		g.Close()
		for op, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
			require.Equal(t, "b", op.name)
		}
		require.Equal(t, 1, g.Stats().Ended)
	})
	bubble(t, func(t *testing.T) {
		var g poller.Group[*labeled]
		op := &labeled{label: "c"}
		require.Panics(t, func() { g.Add(op) }, "Add must panic for a struct without a Poller")
		op.Poller = numbers(t)
		g.Add(op)
		g.Close()
		for got, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
			require.Same(t, op, got)
			require.Equal(t, "c", got.label)
		}
		require.Equal(t, 1, g.Stats().Ended)
	})
	bubble(t, func(t *testing.T) {
		var g poller.Group[poller.Operation]
		a, b := numbers(t), follow(t, fleet(map[string][]reply{"b": {"409 {}"}}), "b", nil)
		time.Sleep(time.Second)
		g.Add(a)
		g.Add(b)
		g.Close()
		var got []poller.Operation
		for op, err := range g.Wait(t.Context()) {
			got = append(got, op)
			require.Equal(t, op.Status().State == poller.Failed, err != nil)
		}
		require.Equal(t, []poller.Operation{a, b}, got)
	})
	bubble(t, func(t *testing.T) {
		var g poller.Group[titled]
		op := follow(t, fleet(map[string][]reply{"b": {"200 8"}}), "b", nil)
		g.Add(op)
		g.Close()
		for op, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
			require.Equal(t, "b", op.title())
		}
		require.Equal(t, 1, g.Stats().Ended)
	})
}
