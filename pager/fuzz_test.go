package pager_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/pager"
)

// FuzzPage checks that the pager and encoding/json find the same items, link and count in a page.
func FuzzPage(f *testing.F) {
	for _, seed := range []string{
		`{"value": [1, {"a": "]"}, null], "nextLink": "/2"}`, `{"value":[],"nextLink":""}`, `{"value":null}`, `{}`, `null`, `[]`, ``,
		`{"value":[1],"value":[2,3],"nextLink":"a","nextLink":null}`, `{"va\u006cue":["\\\"","\\"],"next\u004cink":"x"}`,
		`{"nextLink":{"a":"}"},"value":[]}`, `{"value":[1]} x`, `{"value":[1,],"x":tru}`, "\ufeff{\"value\":[]}", `{"x":1e5,"value":[]}`,
		"{\"a\xff\":1,\"value\":[\"\x00\"]}", `{"value":[}]}`, `{"value":{}}`, `{"value":"YQ=="}`, `{"":[],"/":1}`, `{"":""}`, `{"value":[1]`, `{"value" [1]}`,
		`{"value":[],"count":"x","total_count":"7"}`, `{"value":[],"count":1,"@odata.count":-2}`, `{"value":[],"count":1.5,"total_count":1e2}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		req := newRequest(t, http.MethodGet, list, "")
		page, err := pager.New[json.RawMessage](req, &pages{bodies: [][]byte{body}}, &pager.Options{NextLink: "/nextLink"}).NextPage(t.Context())
		items, link, ok := oracle(body)
		if !ok {
			require.IsType(t, &lroerrors.StatusError{}, err)
			return
		}
		require.NoError(t, err)
		require.Equal(t, items, page.Items)
		require.Equal(t, link, page.NextLink)
		require.Equal(t, counted(t, body), page.Count)
	})
}

// counted returns the first count in body that is an integer or a string containing one.
func counted(t *testing.T, body []byte) *int64 {
	t.Helper()
	var m map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(string(body), "\ufeff")), &m))
	for _, name := range []string{"@odata.count", "odata.count", "count", "total_count"} {
		var n *int64
		var s string
		if json.Unmarshal(m[name], &n) == nil && n != nil {
			return n
		}
		if json.Unmarshal(m[name], &s) != nil || bytes.ContainsRune(m[name], '\\') {
			continue
		}
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return &n
		}
	}
	return nil
}

// oracle decodes a page with encoding/json alone.
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
