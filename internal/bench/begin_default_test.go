package bench

import (
	"encoding/json"
	"net/http"
	"testing"

	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/poller"
)

// beginsInMemory measures sending a PUT and creating a poller from the response. The service
// replaces http.DefaultTransport, so no request reaches the network.
func beginsInMemory(t *testing.T, o order) defaultMeasure {
	t.Helper()
	service := running()
	http.DefaultTransport = service
	pl := fullPipeline(&http.Client{Transport: service})
	method, url := beginning(async)
	return defaultMeasure{n: o.Ops, parts: 1, of: runners{
		lro: repeat(func() error {
			req, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
			must(t, err)
			_, err = poller.Begin[widget](req, nil, nil)
			return err
		}),
		azcore: repeat(func() error {
			req, err := azruntime.NewRequest(t.Context(), method, url)
			must(t, err)
			resp, err := pl.Do(req) //nolint:bodyclose // azcore reads the body
			if err != nil {
				return err
			}
			_, err = azruntime.NewPoller[widget](resp, pl, nil)
			return err
		}),
		floor: repeat(func() error {
			req, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
			must(t, err)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				return err
			}
			_, err = takeNote(resp)
			return err
		}),
	}}
}

// resumesInMemory measures resuming from a token and reading the status once through the default
// client.
func resumesInMemory(t *testing.T, o order) defaultMeasure {
	t.Helper()
	service := running()
	http.DefaultTransport = service
	pl := fullPipeline(&http.Client{Transport: service})
	ours, err := poller.New[widget](identified(firstResponse(t, service, async)), nil, nil) //nolint:bodyclose // in memory
	must(t, err)
	token, err := ours.ResumeToken()
	must(t, err)
	theirs, err := azruntime.NewPoller[widget](firstResponse(t, service, async), pl, nil) //nolint:bodyclose // in memory
	must(t, err)
	theirToken, err := theirs.ResumeToken()
	must(t, err)
	known, err := takeNote(firstResponse(t, service, async)) //nolint:bodyclose // in memory
	must(t, err)
	written, err := json.Marshal(known)
	must(t, err)
	opts := &poller.Options{Origins: []string{host}}
	return defaultMeasure{n: o.Ops, parts: 1, of: runners{
		lro: repeat(func() error {
			p, err := poller.Resume[widget](token, nil, opts)
			must(t, err)
			_, err = p.Poll(t.Context())
			return err
		}),
		azcore: repeat(func() error {
			p, err := azruntime.NewPollerFromResumeToken[widget](theirToken, pl, nil)
			must(t, err)
			_, err = p.Poll(t.Context()) //nolint:bodyclose // azcore has read the body
			return err
		}),
		floor: repeat(func() error {
			var n note
			must(t, json.Unmarshal(written, &n))
			_, err := (&floorOperation{note: n, client: http.DefaultClient}).poll(t.Context())
			return err
		}),
	}}
}
