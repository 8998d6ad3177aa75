package before

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/lro-go/lro/internal/migrate/widgets"
)

// Watch creates a widget and shows the progress. PollUntilDone reports nothing until the operation
// has ended, so Watch adds a middleware that reads every response the client receives.
func (c *Client) Watch(ctx context.Context, name string, want widgets.Widget, show func(word string, percent float64)) error {
	c.AppendResponseMiddleware(func(_ *http.Request, resp *http.Response) (*http.Response, error) {
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return resp, err
		}
		resp.Body.Close()
		resp.Body = io.NopCloser(bytes.NewReader(body))
		var doc struct {
			Status          string
			PercentComplete float64
		}
		if json.Unmarshal(body, &doc) == nil && doc.Status != "" {
			show(doc.Status, doc.PercentComplete)
		}
		return resp, nil
	})
	defer c.ClearResponseMiddlewares() // also removes the middlewares of other callers
	return c.CreateThenPoll(ctx, name, want)
}
