package poller

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/exchange"
	"github.com/lro-go/lro/internal/wire"
	"github.com/lro-go/lro/poller/strategy"
)

// The ID of a status shares the memory of the status URL that contains it. A status without an ID
// does not keep the URL in memory.
func TestStatusIDSharesURL(t *testing.T) {
	const id = "/operations/op1"
	poll := "https://a.test" + id + "?api-version=1"
	st := adoptStatus(&Status{ID: string([]byte(id))}, &strategy.Answer{Poll: poll})
	require.Equal(t, id, st.ID)
	require.Same(t, unsafe.StringData(poll[len("https://a.test"):]), unsafe.StringData(st.ID))
	require.NotSame(t, unsafe.StringData(poll), unsafe.StringData(adoptStatus(&Status{}, &strategy.Answer{Poll: poll}).ID))
	require.Equal(t, "/other", adoptStatus(&Status{ID: "/other"}, &strategy.Answer{Poll: poll}).ID)
}

// A poller parses the URL of its status once. When the operation has ended, it drops the parsed URL.
func TestParsedURLIsKept(t *testing.T) {
	polls := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "/operations/op1")
		if polls++; polls < 3 {
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	defer srv.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL, http.NoBody)
	require.NoError(t, err)
	p, err := Begin[struct{}](req, nil, nil)
	require.NoError(t, err)
	require.Nil(t, p.c.last.Load(), "nothing has been polled")
	_, err = p.Poll(t.Context())
	require.NoError(t, err)
	kept := p.c.last.Load()
	require.Equal(t, srv.URL+"/operations/op1", kept.url.String())
	require.Same(t, kept.url, p.c.parse(p.c.rec.Poll))
	require.Equal(t, "/other", p.c.parse(exchange.Link(srv.URL+"/other")).Path)
	_, err = p.Poll(t.Context())
	require.NoError(t, err)
	require.True(t, p.Done())
	require.Nil(t, p.c.last.Load())
}

// The URL of a result's response is the URL of the result, not the URL of the status.
func TestAnswerOfResult(t *testing.T) {
	c := &core{settings: defaults()}
	r := record{Phase: reading, Poll: "https://a.test/op", Status: &Status{}, Result: &result{URL: "https://a.test/w"}}
	a := c.judgeResult(&r, wire.Answer{Code: http.StatusOK, URL: r.Result.URL.Parse()}).Answer
	require.Equal(t, "https://a.test/w", a.URL)
}
