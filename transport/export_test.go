package transport

import "net/http"

// NewBase returns a base like the default one, with the settings of std.
func NewBase(std *http.Transport) http.RoundTripper { return newPools(std) }
