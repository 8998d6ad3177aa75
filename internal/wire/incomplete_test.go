package wire_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/wire"
)

// Send rejects a body that may be incomplete, but accepts a body of unknown length from a fake or
// over HTTP/2.
func TestIncompleteBody(t *testing.T) {
	chunked := []string{"chunked"}
	for name, tt := range map[string]struct {
		resp http.Response
		body string
		want string
	}{
		"closed":        {http.Response{StatusCode: 200, Close: true, ContentLength: -1, ProtoMajor: 1}, "", "the body is empty and ends when the connection closes"},
		"white space":   {http.Response{StatusCode: 200, Close: true, ContentLength: -1, ProtoMajor: 1}, "\xef\xbb\xbf\r\n", "the body is empty"},
		"an error":      {http.Response{StatusCode: 409, Close: true, ContentLength: -1}, "", "the body is empty"},
		"a body":        {http.Response{StatusCode: 200, Close: true, ContentLength: -1}, "{}", ""},
		"a length":      {http.Response{StatusCode: 200, Close: true, ContentLength: 0}, "", ""},
		"chunks":        {http.Response{StatusCode: 200, Close: true, ContentLength: -1, TransferEncoding: chunked}, "", ""},
		"HTTP/2":        {http.Response{StatusCode: 200, Close: true, ContentLength: -1, ProtoMajor: 2}, "", ""},
		"no length":     {http.Response{StatusCode: 200, ContentLength: -1, ProtoMajor: 1}, "", ""},
		"202":           {http.Response{StatusCode: 202, Close: true, ContentLength: -1}, "", ""},
		"204":           {http.Response{StatusCode: 204, Close: true, ContentLength: -1}, "", ""},
		"404":           {http.Response{StatusCode: 404, Close: true, ContentLength: -1}, "", ""},
		"410":           {http.Response{StatusCode: 410, Close: true, ContentLength: -1}, "", ""},
		"a part":        {http.Response{StatusCode: 206, ContentLength: 2}, "{}", "a 206 holds only a part of the body"},
		"an empty part": {http.Response{StatusCode: 206}, "", "a 206 holds only a part of the body"},
	} {
		t.Run(name, func(t *testing.T) {
			fresh := func() *http.Response {
				resp := tt.resp
				resp.Body = io.NopCloser(strings.NewReader(tt.body))
				if tt.body == "" {
					resp.Body = http.NoBody
				}
				return &resp
			}
			read, readErr := wire.ReadBody(fresh(), limit(10)) //nolint:bodyclose // the body is in memory
			ans, sendErr := wire.Send(t.Context(), doer(func(*http.Request) (*http.Response, error) { return fresh(), nil }), get(t), &wire.Terms{Limit: limit(10)})
			require.Equal(t, tt.body, string(read))
			require.Equal(t, tt.resp.StatusCode, ans.Code)
			if tt.want == "" {
				require.NoError(t, readErr)
				require.NoError(t, sendErr)
				return
			}
			require.ErrorContains(t, readErr, tt.want)
			se := statusError(t, sendErr)
			require.Equal(t, tt.resp.StatusCode, se.StatusCode)
			require.ErrorContains(t, se, "reading the response: ")
			require.ErrorContains(t, se, tt.want)
		})
	}
}
