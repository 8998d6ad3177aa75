package transport

import (
	"bufio"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"
)

// gateResponse returns the gate's own 429 for a request that the gate does not let through. Its
// body is an OData v4 error (ARM, "Error Response Content"), whose code shows that the error does
// not come from the service.
func gateResponse(req *http.Request, pause time.Duration) *http.Response {
	seconds := int64(math.Ceil(pause.Seconds()))
	body := fmt.Sprintf(`{"error":{"code":"ClientThrottleGate","message":"not sent: the service throttled requests `+
		`like this one, so this client holds them back for %d s"}}`, seconds)
	text := fmt.Sprintf("HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nRetry-After: %d\r\n"+
		"Content-Length: %d\r\n\r\n%s", seconds, len(body), body)
	resp, _ := http.ReadResponse(bufio.NewReader(strings.NewReader(text)), req) // the text is always valid
	return resp
}
