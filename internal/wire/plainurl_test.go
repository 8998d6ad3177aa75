package wire_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/internal/wire"
)

// FuzzParseURL: it is what net/url makes of it.
func FuzzParseURL(f *testing.F) {
	for _, s := range []string{
		"https://a.test/subscriptions/0/operations/1?api-version=2026-01-01", "https://a.test/", "https://a.test", "https://a.test/?", "https://a.test/?a?b",
		"https://a.test:443/x", "http://127.0.0.1:8080/x?y", "https://a.test:/x", "https://a.test:x/", "https://:1/", "https://a:1:2/", "https://a.test:99999999/x", "https://u:p@a.test/x", "https://[::1]/x", "https://a.test/%2f", "https://a.test/a b", "https://a.test/#f", "https://a.test/x?%zz#f",
		"HTTPS://a.test/", "http://a.test/x", "//a.test/x", "/x", "", "https:///x", "https://a.test//x;y=@:z", "https://a.test/(x)*'!", "https://a.test/\x7f", "https://\xff/x", "https://a_b/x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		want, wantErr := url.Parse(raw)
		got, plain, err := wire.ParseURL(raw)
		require.Equal(t, wantErr, err)
		require.Equal(t, err == nil && want.IsAbs() && want.Host != "", wire.IsAbsolute(raw))
		if err == nil {
			require.Equal(t, *want, got)
			require.True(t, !plain || got.String() == raw)
		}
	})
}

func BenchmarkParseURL(b *testing.B) {
	const raw = "https://management.azure.com/subscriptions/00000000-0000-0000-0000-000000000000/providers/Microsoft.Contoso/locations/westeurope/operationStatuses/11111111-2222-3333-4444-555555000001?api-version=2026-01-01"
	plain := func(raw string) (*url.URL, error) {
		u, _, err := wire.ParseURL(raw)
		return &u, err
	}
	for name, parse := range map[string]func(string) (*url.URL, error){"plain": plain, "net-url": url.Parse} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := parse(raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
