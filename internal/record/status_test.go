package record

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller/strategy"
)

// The ID of a status shares the memory of the status URL that contains it. A status without an ID
// does not keep the URL in memory.
func TestStatusIDSharesURL(t *testing.T) {
	const id = "/operations/op1"
	poll := "https://a.test" + id + "?api-version=1"
	st := adoptStatus(&strategy.Status{ID: string([]byte(id))}, &strategy.Answer{Poll: poll})
	require.Equal(t, id, st.ID)
	require.Same(t, unsafe.StringData(poll[len("https://a.test"):]), unsafe.StringData(st.ID))
	require.NotSame(t, unsafe.StringData(poll), unsafe.StringData(adoptStatus(&strategy.Status{}, &strategy.Answer{Poll: poll}).ID))
	require.Equal(t, "/other", adoptStatus(&strategy.Status{ID: "/other"}, &strategy.Answer{Poll: poll}).ID)
}
