package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/lro-go/lro/pager"
	"github.com/lro-go/lro/poller"
)

// get reads a resource, or a listing page by page. A GET may begin an operation
// as well (202 with Location), whose result may be either.
func (c *command) get(ctx context.Context) error {
	if err := poller.CheckPointer(c.items); err != nil {
		return usageError{err}
	}
	req, err := c.request(ctx, http.MethodGet)
	if err != nil {
		return err
	}
	p, err := poller.Begin[json.RawMessage](req, c.client, c.options())
	page, err := c.await(ctx, p, err)
	if err != nil {
		return err
	}
	c.keeper.done()
	if !hasItems(page, c.items) {
		return c.screen.result(page)
	}
	// A link may be relative: to the URL that the page came from.
	if from := p.ResultURL(); from != "" {
		if req, err = http.NewRequestWithContext(ctx, http.MethodGet, from, http.NoBody); err != nil {
			return err
		}
	}
	return c.pages(ctx, req, page)
}

// pages prints the items of a listing, each as soon as it is here.
func (c *command) pages(ctx context.Context, first *http.Request, page json.RawMessage) error {
	list := c.screen.listing()
	pages := pager.Continue[json.RawMessage](first, page, c.client, &pager.Options{
		Items: c.items, NextLink: c.nextLink, Origins: c.origins, Header: c.header, Logger: c.logger,
	})
	for item, err := range pages.All(ctx) {
		if err != nil {
			return err // the list stays open: nobody is to take it for the whole
		}
		if err := list.item(item); err != nil {
			return err
		}
	}
	return list.end()
}

// hasItems reports whether a document is the first page of a listing.
func hasItems(document json.RawMessage, pointer string) bool {
	items, ok := poller.Answer{Body: document}.Lookup(pointer)
	return ok && bytes.HasPrefix(bytes.TrimSpace(items), []byte("["))
}
