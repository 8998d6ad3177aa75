package serve_test

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/serve/servetest"
)

// With --tls, the service uses HTTPS at 127.0.0.1 and at localhost. A client accepts the service's
// certificate only if the client trusts the CA certificate in the file that the output names. lro
// serve removes the file when it stops.
func TestTLS(t *testing.T) {
	r := servetest.Start(t, "--tls")
	require.True(t, strings.HasPrefix(r.URL, "https://"))
	_, port, _ := strings.Cut(strings.TrimPrefix(r.URL, "https://"), ":")
	file := regexp.MustCompile(`SSL_CERT_FILE="(.*)"`).FindStringSubmatch(strings.Join(r.Welcome(), "\n"))[1]
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NotContains(t, string(text), "KEY")
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(text))

	for _, host := range []string{"127.0.0.1", "localhost"} {
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true}}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "https://"+host+":"+port+"/widgets/"+host, strings.NewReader("{}"))
		require.NoError(t, err)
		resp, err := client.Do(req)
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, 201, resp.StatusCode)
		require.Contains(t, resp.Header.Get("Azure-AsyncOperation"), "https://"+host+":"+port+"/")
	}

	_, _, err = send(t, t.Context(), http.MethodGet, r.URL+"/widgets")
	require.ErrorAs(t, err, new(x509.UnknownAuthorityError))
	requireStop(t, r)
	require.NoFileExists(t, file)
}
