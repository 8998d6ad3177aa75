package after

import (
	"net/http"
	"time"

	"github.com/lro-go/lro/transport"
)

// Retry returns options for a service that responds with 409 while it is busy.
func Retry() *transport.Options {
	return &transport.Options{
		Retries:       5,
		MinDelay:      2 * time.Second,
		MaxDelay:      time.Minute,
		HeaderTimeout: time.Minute,
		Policy: func(req *http.Request, resp *http.Response, err error) bool {
			busy := resp != nil && resp.StatusCode == http.StatusConflict
			return busy || transport.DefaultPolicy(req, resp, err)
		},
	}
}
