package quirks_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
)

func TestWireQuirks(t *testing.T) {
	checkAll(t, []quirkRow{
		{quirks.RetryAfterOnce, onePoll, `
			PUT /w/1 {"properties":{"size":1}}
			201 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 Retry-After: 30 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":1},"type":"w"}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Accepted","startTime":"2000-01-01T00:00:00Z"}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Succeeded","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z"}
		`},
		{quirks.RetryAfterOnce, fakes.Plan{Polls: 1, RetryAfter: time.Minute}, `
			PUT /w/1 {"properties":{"size":1}}
			201 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 Retry-After: 60 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":1},"type":"w"}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Accepted","startTime":"2000-01-01T00:00:00Z"}
		`},
		{quirks.RetryAfterTooShort, fakes.Plan{}, `
			PUT /w/1 {"properties":{"size":1}}
			201 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 Retry-After: 15 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":1},"type":"w"}
			after 89m59s
			GET /operationsStatuses/op1
			200 Retry-After: 15 {"id":"/operationsStatuses/op1","name":"op1","status":"Accepted","startTime":"2000-01-01T00:00:00Z"}
			after 1s
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Succeeded","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T01:30:00Z"}
		`},
		{quirks.RetryAfterTooLong, onePoll, `
			PUT /w/1 {"properties":{"size":1}}
			201 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 Retry-After: 1200 {"id":"/w/1","name":"1","properties":{"provisioningState":"Accepted","size":1},"type":"w"}
			GET /operationsStatuses/op1
			200 Retry-After: 1200 {"id":"/operationsStatuses/op1","name":"op1","status":"Accepted","startTime":"2000-01-01T00:00:00Z"}
			GET /operationsStatuses/op1
			200 {"id":"/operationsStatuses/op1","name":"op1","status":"Succeeded","startTime":"2000-01-01T00:00:00Z","endTime":"2000-01-01T00:00:00Z"}
		`},
		{quirks.ThrottledWithoutRetryAfter, onePoll, create + `
			GET /operationsStatuses/op1
			429 {"error":{"code":"TooManyRequests","message":"The request is being throttled."}}
			GET /operationsStatuses/op1
			429 {"error":{"code":"TooManyRequests","message":"The request is being throttled."}}
		` + readAccepted + readSucceeded},
		{quirks.ThrottledWithPlainText, onePoll, create + `
			GET /operationsStatuses/op1
			429 Too many requests. Please try again later.
			GET /operationsStatuses/op1
			429 Too many requests. Please try again later.
		` + readAccepted + readSucceeded},
		{quirks.Empty200InsteadOf204, synchronous, `
			seed /w/1 {}
			POST /w/1/start
			200
			DELETE /w/1
			200
		`},
		{quirks.Empty200InsteadOf204, atOnce, `
			seed /w/1 {}
			DELETE /w/1
			202 Azure-AsyncOperation: https://a.test/operationsStatuses/op1?api-version=1 Location: https://a.test/operationResults/op1?api-version=1
			GET /operationResults/op1
			200
		`},
	})
}

func TestByteOrderMark(t *testing.T) {
	svc := &fakes.Service{Default: onePoll}
	svc.Quirk(quirks.ByteOrderMark, widget)
	c := newTester(t, svc)
	const mark = "\xef\xbb\xbf"
	require.True(t, strings.HasPrefix(c.do(http.MethodPut, widget, "").body, mark+`{"id":`))
	require.True(t, strings.HasPrefix(c.get(statusURL).body, mark+`{"id":`))
	require.True(t, strings.HasPrefix(c.get(widget).body, mark+`{"id":`))
	require.False(t, strings.HasPrefix(c.get(widget+"2").body, mark), "the quirk must not affect another resource")
	c.do(http.MethodDelete, widget, "")
	require.Empty(t, c.get(strings.Replace(resultURL, first, operationID(2), 1)).body)
}

// An empty body has an unknown length with EmptyBodyOfUnknownLength, and a length of 0 without it.
func TestEmptyBodyOfUnknownLength(t *testing.T) {
	for quirk, want := range map[quirks.Quirk]int64{quirks.EmptyBodyOfUnknownLength: -1, quirks.NoContentType: 0} {
		svc := &fakes.Service{Default: synchronous}
		svc.Put(widget, struct{}{})
		svc.Quirk(quirk, "")
		for _, code := range []int{200, 204} {
			if code == 200 {
				svc.Quirk(quirks.Empty200InsteadOf204, widget)
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, host+widget, nil)
			require.NoError(t, err)
			resp, err := fakes.Client(svc).Do(req)
			require.NoError(t, err)
			defer resp.Body.Close()
			require.Equal(t, want, resp.ContentLength, "%s %d", quirk, resp.StatusCode)
		}
	}
}

func TestNoContentType(t *testing.T) {
	svc := &fakes.Service{Default: onePoll}
	svc.Quirk(quirks.NoContentType, "")
	c := newTester(t, svc)
	for _, r := range []reply{c.do(http.MethodPut, widget, ""), c.get(statusURL), c.get(widget + "2")} {
		require.NotEmpty(t, r.body)
		require.NotContains(t, r.header, "Content-Type")
	}
}
