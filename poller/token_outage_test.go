package poller_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// If the Token function fails for about 20 minutes, 500 operations together call it at most 30
// times while it fails, and all of them still succeed.
func TestGroupDuringTokenOutage(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T) {
		const size = 500
		ops := map[string][]reply{}
		for i := range size {
			ops[fmt.Sprintf("o%d", i)] = []reply{"202", "200 {}"}
		}
		s := fleet(ops)
		var calls, failed atomic.Int32
		client := through(s, transport.Options{Token: func(context.Context, transport.TokenRequest) (transport.Token, error) {
			calls.Add(1)
			elapsed := time.Since(s.began)
			if elapsed > 90*time.Second && elapsed < 21*time.Minute {
				failed.Add(1)
				return transport.Token{}, errors.New("the identity service is down")
			}
			return transport.Token{Value: "t", Expires: time.Now().Add(2 * time.Minute)}, nil
		}})
		g := poller.NewGroup[named](nil)
		for name := range ops {
			g.Add(followWith(t, client, name, nil))
		}
		g.Close()
		ended := 0
		for _, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
			ended++
		}
		require.Equal(t, size, ended)
		require.LessOrEqual(t, failed.Load(), int32(30), "the Token function must be called at most 30 times in 20 minutes")
	})
}
