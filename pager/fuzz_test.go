package pager_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/pager"
)

// FuzzPage holds what a page is taken for to what encoding/json makes of it.
func FuzzPage(f *testing.F) {
	for _, seed := range []string{
		`{"value": [1, {"a": "]"}, null], "nextLink": "/2"}`, `{"value":[],"nextLink":""}`, `{"value":null}`, `{}`, `null`, `[]`, ``,
		`{"value":[1],"value":[2,3],"nextLink":"a","nextLink":null}`, `{"va\u006cue":["\\\"","\\"],"next\u004cink":"x"}`,
		`{"nextLink":{"a":"}"},"value":[]}`, `{"value":[1]} x`, `{"value":[1,],"x":tru}`, "\ufeff{\"value\":[]}", `{"x":1e5,"value":[]}`,
		"{\"a\xff\":1,\"value\":[\"\x00\"]}", `{"value":[}]}`, `{"value":{}}`, `{"value":"YQ=="}`, `{"":[],"/":1}`, `{"":""}`, `{"value":[1]`, `{"value" [1]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		client := fakes.Client(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }))
		req := newRequest(t, http.MethodGet, list, "")
		page, err := pager.New[json.RawMessage](req, client, &pager.Options{NextLink: "/nextLink"}).NextPage(t.Context())
		items, link, ok := oracle(body)
		if !ok {
			require.IsType(t, &lroerrors.StatusError{}, err)
			return
		}
		require.NoError(t, err)
		require.Equal(t, items, page.Items)
		require.Equal(t, link, page.NextLink)
	})
}

// oracle reads a page by the book, and slowly.
func oracle(body []byte) (items []json.RawMessage, link string, ok bool) {
	body = []byte(strings.TrimPrefix(string(body), "\ufeff"))
	var m map[string]json.RawMessage
	if json.Unmarshal(body, &m) != nil || m == nil {
		return nil, "", false
	}
	if raw, there := m["nextLink"]; there && json.Unmarshal(raw, &link) != nil {
		return nil, "", false
	}
	value, there := m["value"]
	if there {
		items = []json.RawMessage{}
		ok = json.Unmarshal(value, &items) == nil
		return items, link, ok
	}
	for name := range m {
		switch name {
		case "nextLink", "count", "total_count":
			continue
		}
		if !strings.HasPrefix(name, "@") && !strings.HasPrefix(name, "odata.") {
			return nil, "", false
		}
	}
	return nil, link, true
}
