package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/lro-go/lro/cmd/lro/internal/output"
	"github.com/lro-go/lro/pager"
	"github.com/lro-go/lro/poller/strategy"
)

// get reads a resource or a listing. A GET may also start an operation whose result is a resource
// or a listing.
func (c *command) get(ctx context.Context) error {
	if err := strategy.CheckPointer(c.flags.Items); err != nil {
		return output.UsageError{Err: fmt.Errorf("--items: %w", err)}
	}
	req, err := c.flags.Request(ctx, http.MethodGet, c.stdin)
	if err != nil {
		return output.UsageError{Err: err}
	}

	p, err := c.send(ctx, req)
	page, err := c.await(ctx, p, err)
	if err != nil {
		return err
	}
	if !hasItems(page, c.flags.Items) {
		return c.printer.Result(page, noResult)
	}

	from := p.ResultURL()
	if from == "" {
		return c.pages(ctx, req, page)
	}
	first, err := http.NewRequestWithContext(ctx, http.MethodGet, from, http.NoBody) // the pager resolves relative links against this URL
	if err != nil {
		return err
	}
	return c.pages(ctx, first, page)
}

// pages prints the items of a listing page by page.
func (c *command) pages(ctx context.Context, first *http.Request, page json.RawMessage) error {
	list := c.printer.Listing()
	pages := pager.Continue[json.RawMessage](first, page, c.client, c.flags.PagerOptions(c.logger))
	for item, err := range pages.All(ctx) {
		if err != nil {
			return err // skip list.End, whose closing bracket would make an incomplete listing look complete
		}
		if err := list.Item(item); err != nil {
			return err
		}
	}
	return list.End()
}

// hasItems reports whether a document is the first page of a listing: whether it has an array at
// the JSON pointer.
func hasItems(document json.RawMessage, pointer string) bool {
	items, ok := strategy.Answer{Body: document}.Lookup(pointer)
	return ok && bytes.HasPrefix(bytes.TrimSpace(items), []byte("["))
}
