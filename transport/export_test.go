package transport

import "net/http"

// NewBase returns a base like the default base, but with std's settings.
func NewBase(std *http.Transport) http.RoundTripper { return newPools(std) }
