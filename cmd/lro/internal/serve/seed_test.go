package serve_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/serve"
	"github.com/lro-go/lro/cmd/lro/internal/serve/servetest"
)

func seedFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "seed.json")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// --seed accepts a file in any of these formats. The service then has only the resources in the
// file, unless --items adds others.
func TestSeed(t *testing.T) {
	const (
		a = `{"id":"/widgets/A","properties":{"provisioningState":"Failed"}}`
		b = `{"id":"/widgets/b","tags":{"n":1.50}}`
	)
	forms := map[string]string{
		"an object with the paths as names": `{"/widgets/A": {"properties":{"provisioningState":"Failed"}},` + "\n" + `"/widgets/b/": {"tags":{"n":1.50}}}`,
		"an array":                          `[` + a + "," + b + `]`,
		"a page of a listing":               `{"nextLink":null,"value":[` + a + "," + b + `]}`,
		"two pages":                         `{"value":[` + a + `]}` + "\n" + `{"value":[` + b + `]}`,
		"one resource after another":        a + "\n" + b + "\n",
	}
	for name, text := range forms {
		t.Run(name, func(t *testing.T) {
			get := func(path string, more ...string) string {
				h, err := serve.Handler(io.Discard, nil, append(more, "--page-size=0", "--seed", seedFile(t, text))...)
				require.NoError(t, err)
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, origin+path, http.NoBody))
				return w.Body.String()
			}
			const both = `{"id":"/widgets/A","name":"A","properties":{"provisioningState":"Failed"},"type":"widgets"},
				{"id":"/widgets/b","name":"b","properties":{"provisioningState":"Succeeded"},"tags":{"n":1.50},"type":"widgets"}`
			require.JSONEq(t, `{"value":[`+both+`]}`, get("/widgets"))
			require.Contains(t, get("/widgets/b"), `"n":1.50`, "the service must not reformat numbers")
			require.JSONEq(t, `{"value":[`+both+`,{"id":"/widgets/item1","name":"item1","properties":{"provisioningState":"Succeeded"},"type":"widgets"}]}`,
				get("/widgets", "--items=1"))
		})
	}
}

// A listing fetched from lro serve is a valid file for --seed. A reset restores the resources in
// the file.
func TestSeedFromListing(t *testing.T) {
	bodyOf := func(method, url string) string {
		req, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
		require.NoError(t, err)
		resp, err := fresh.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return string(body)
	}
	saved := bodyOf(http.MethodGet, servetest.Start(t, "--page-size=0").URL+"/widgets")
	require.Contains(t, saved, "item3")

	s := servetest.Start(t, "--page-size=0", "--duration=0s", "--control=127.0.0.1:0", "--seed", seedFile(t, saved))
	require.NotContains(t, strings.Join(s.Welcome(), "\n"), "item1")
	require.JSONEq(t, saved, bodyOf(http.MethodGet, s.URL+"/widgets"))
	bodyOf(http.MethodDelete, s.URL+"/widgets/item1")
	require.NotContains(t, bodyOf(http.MethodGet, s.URL+"/widgets"), "item1")
	bodyOf(http.MethodPost, s.Control+"/reset")
	require.JSONEq(t, saved, bodyOf(http.MethodGet, s.URL+"/widgets"))
}

// lro serve treats an invalid seed file as a mistake in the command line, not as a serve.Error.
func TestInvalidSeed(t *testing.T) {
	file := seedFile(t, "[{}]")
	_, err := serve.Handler(io.Discard, nil, "--seed", file)
	require.EqualError(t, err, "--seed "+file+": line 1, column 2: want a resource with an id, such as /widgets/w1")
	require.NotErrorAs(t, err, new(serve.Error))
}
