package pager_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/pager"
)

// A page that never ends causes an error that names the exceeded limit. The page can be requested
// again.
func TestEndlessPages(t *testing.T) {
	for _, tt := range []struct {
		every time.Duration
		code  int
		opts  pager.Options
		want  string
		took  time.Duration
	}{
		{time.Minute, 200, pager.Options{}, "no complete response within 5m0s, the limit of ResponseTimeout", 5 * time.Minute},
		{time.Minute, 200, pager.Options{ResponseTimeout: time.Second}, "no complete response within 1s, the limit of ResponseTimeout", time.Second},
		{time.Minute, 500, pager.Options{}, "500 Internal Server Error", 5 * time.Minute},
		{0, 200, pager.Options{}, "body is larger than 67108864 bytes, the limit of MaxPageBytes", 0},
		{0, 404, pager.Options{MaxPageBytes: 1000}, "body is larger than 1000 bytes, the limit of MaxPageBytes", 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			answer := fakes.Respond(tt.code, `{"value":[1],"x":"`)(nil)
			h := fakes.Endless(strings.Repeat("x", 10), tt.every)(answer)
			first, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://a.test/widgets", http.NoBody)
			require.NoError(t, err)
			p := pager.New[int](first, fakes.Client(h), &tt.opts)
			start := time.Now()
			for i := range 2 {
				_, err = p.NextPage(t.Context())
				require.IsType(t, &lroerrors.StatusError{}, err)
				require.ErrorContains(t, err, tt.want)
				require.Equal(t, time.Duration(i+1)*tt.took, time.Since(start))
				require.True(t, p.More())
			}
		})
	}
}

// If a page has another member instead of items, the error contains the name of that member,
// truncated if it is long.
func TestLongMemberName(t *testing.T) {
	h := fakes.Respond(http.StatusOK, `{"`+strings.Repeat("x", 1<<20)+`":[]}`)(nil)
	first, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://a.test/widgets", http.NoBody)
	require.NoError(t, err)
	_, err = pager.New[int](first, fakes.Client(h), nil).NextPage(t.Context())
	refused, ok := errors.AsType[*lroerrors.StatusError](err)
	require.True(t, ok)
	require.ErrorContains(t, refused.Err, `but has "xxx`)
	require.Less(t, len(refused.Err.Error()), 200)
}
