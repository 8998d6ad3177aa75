package main

import (
	"encoding/json"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// After a 429, all reads of a run succeed within the run, although the transport sends them one by
// one.
func TestThrottledReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const origin = "https://a.test"
		svc := &fakes.Service{Default: fakes.Plan{Duration: time.Hour}}
		client := transport.NewClient(&transport.Options{Base: &fakes.Transport{Handler: svc}})
		options := &poller.Options{Origins: []string{origin}}
		due := make([]*operation, readsAtOnce)
		for i := range due {
			req, err := BeginArgs{Method: http.MethodPut, URL: origin + widget(i), Body: []byte(`{"properties": {}}`)}.request(t.Context(), time.Now())
			require.NoError(t, err)
			p, err := poller.Begin[json.RawMessage](req, client, options)
			require.NoError(t, err)
			token, err := p.ResumeToken()
			require.NoError(t, err)
			due[i] = &operation{Token: token}
		}
		time.Sleep(time.Minute)
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 1, Do: fakes.Throttle(time.Second)})
		start := time.Now()
		first := *due[0]
		first.read(t.Context(), client, options)
		require.ErrorContains(t, first.step.Status.ReadErr, "429")

		var reads sync.WaitGroup
		for _, o := range due {
			reads.Go(func() { o.read(t.Context(), patient{client, 5 * time.Second}, options) })
		}
		reads.Wait()
		require.Less(t, time.Since(start), 5*time.Second)
		for _, o := range due {
			require.NoError(t, o.err)
			require.NotEqual(t, o.Token, o.step.Token)
			require.NoError(t, o.step.Status.ReadErr)
		}
	})
}
