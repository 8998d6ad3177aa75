package poller_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/arohcp"
	"github.com/lro-go/lro/poller"
)

// The transcripts aro-*.http replay the ARO-HCP frontend's responses (quirks, section B). The tests
// in this file cover what a transcript cannot show, such as two clients.

const cluster = "/subscriptions/s1/resourceGroups/rg1/providers/Microsoft.RedHatOpenShift/hcpOpenShiftClusters/c1"

const apiVersion = "?api-version=2024-06-10-preview"

// aroBegin starts an operation on the ARO-HCP fake and returns its Poller.
func aroBegin(t *testing.T, svc *fakes.Service, method, path string, opts *poller.Options) *poller.Poller[raw] {
	t.Helper()
	p, err := poller.Begin[raw](newRequest(t, method, path+apiVersion), fakes.Client(svc), opts)
	require.NoError(t, err)
	return p
}

// The poller must follow the operations that PUT, PATCH, POST and DELETE start. The frontend sends
// no Retry-After, so each pause is the default, one minute.
func TestAROEveryVerb(t *testing.T) {
	bubble(t, func(t *testing.T) {
		svc := arohcp.New()
		for _, tt := range []struct {
			method, path string
			result       bool
		}{
			{"PUT", cluster, true},
			{"PUT", cluster, true}, // an update, because the cluster now exists
			{"PATCH", cluster, true},
			{"POST", cluster + "/revokeCredentials", false},
			{"DELETE", cluster, false},
			{"DELETE", cluster, false}, // the cluster is already gone
		} {
			p := aroBegin(t, svc, tt.method, tt.path, nil)
			start, gone := time.Now(), p.Done()
			v, err := p.PollUntilDone(t.Context())
			require.NoError(t, err, tt.method)
			require.Equal(t, tt.result, v != nil, tt.method)
			if !gone {
				require.Equal(t, 3*time.Minute, time.Since(start), tt.method)
			}
		}
	})
}

// A notification from the backend makes the poller read the status as soon as the operation ends.
func TestARONotification(t *testing.T) {
	bubble(t, func(t *testing.T) {
		svc := arohcp.New()
		defer svc.Close()
		svc.Default.Duration = 90 * time.Minute
		var p *poller.Poller[raw]
		svc.Notify = clientOf(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			require.Equal(t, "/notified", r.URL.Path)
			p.WakeUp()
		}))
		req := newRequest(t, "PUT", cluster+apiVersion)
		req.Header.Set("Azure-AsyncNotificationUri", "https://client.example.test/notified")
		resp, err := fakes.Client(svc).Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		require.Equal(t, "Enabled", resp.Header.Get("Azure-AsyncNotification"))
		start := time.Now()
		p, err = poller.New[raw](resp, fakes.Client(svc), &poller.Options{Cadence: poller.Cadence{Default: time.Hour, Max: time.Hour}})
		require.NoError(t, err)
		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, 90*time.Minute, time.Since(start), "the notification must end the pause early")
		require.Len(t, svc.Notifications(), 1)
	})
}

// A notification is only a hint. If it comes too early or from an attacker, it causes one
// additional read and nothing else.
func TestAROFalseNotification(t *testing.T) {
	bubble(t, func(t *testing.T) {
		svc := arohcp.New()
		svc.Default.Duration = 90 * time.Second
		p := aroBegin(t, svc, "PUT", cluster, nil)
		time.AfterFunc(20*time.Second, p.WakeUp)
		start := time.Now()
		var reads []time.Duration
		for _, err := range p.Updates(t.Context()) {
			require.NoError(t, err)
			reads = append(reads, time.Since(start))
		}
		require.Equal(t, []time.Duration{0, 20 * time.Second, 80 * time.Second, 140 * time.Second}, reads)
	})
}

// If a DELETE supersedes the creation, the creation ends as Canceled with a reason, and the
// deletion succeeds.
func TestAROSuperseded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		svc := arohcp.New()
		creation := aroBegin(t, svc, "PUT", cluster, nil)
		deletion := aroBegin(t, svc, "DELETE", cluster, nil)
		_, err := creation.PollUntilDone(t.Context())
		require.ErrorIs(t, err, lroerrors.ErrCanceled)
		op, ok := errors.AsType[*lroerrors.OperationError](err)
		require.True(t, ok)
		require.Equal(t, &lroerrors.Detail{Code: "Canceled", Message: "This operation was superseded by another"}, op.Detail)
		_, err = deletion.PollUntilDone(t.Context())
		require.NoError(t, err)
	})
}

// ARM does not define how to cancel an operation, so the caller provides the request.
func TestAROCancelByDelete(t *testing.T) {
	bubble(t, func(t *testing.T) {
		svc := arohcp.New()
		svc.Default.Duration = fakes.Forever
		p := aroBegin(t, svc, "PUT", cluster, &poller.Options{CancelRequest: func(st poller.Status) (*poller.Request, error) {
			require.Equal(t, poller.InProgress, st.State)
			return &poller.Request{Method: "DELETE", URL: cluster + apiVersion, OK: []int{409}}, nil
		}})
		require.NoError(t, p.Cancel(t.Context()))
		require.NoError(t, p.Cancel(t.Context()), "a 409 means that the deletion is already running")
		require.False(t, p.Done(), "an accepted cancel request does not end the operation")
		_, err := p.PollUntilDone(t.Context())
		require.ErrorIs(t, err, lroerrors.ErrCanceled)
	})
}

// If another identity polls the operation, the service returns a 404, and the error says that the
// identity may be the cause. The right identity can still follow the operation.
func TestAROAnotherIdentity(t *testing.T) {
	bubble(t, func(t *testing.T) {
		svc := arohcp.New()
		svc.Default.Duration = 24 * time.Hour
		as := func(id string) *poller.Options {
			return &poller.Options{Header: http.Header{"X-Ms-Client-Object-Id": {id}}, Origins: []string{origin}}
		}
		mine := aroBegin(t, svc, "PUT", cluster, as("one"))
		theirs, err := poller.Resume[raw](tokenOf(t, mine), fakes.Client(svc), as("two"))
		require.NoError(t, err)
		_, err = theirs.PollUntilDone(t.Context())
		requireWait(t, err, lroerrors.ReasonGone)
		require.ErrorContains(t, err, "the operation has expired, or this identity cannot see it")
		require.ErrorContains(t, err, "200 OK: the status of the operation has been lost since a read got 404 Not Found, and the resource does not show an end")
		again, err := poller.Resume[raw](tokenOf(t, theirs), fakes.Client(svc), as("one"))
		require.NoError(t, err)
		_, err = again.PollUntilDone(t.Context())
		require.NoError(t, err)
	})
}

// The service forgets an operation seven days after its end. Then a wait for an update ends with
// ReasonGone, but a wait for a deletion succeeds.
func TestAROExpired(t *testing.T) {
	for method, ends := range map[string]bool{"PUT": false, "PATCH": false, "DELETE": true} {
		for _, age := range []time.Duration{7*24*time.Hour - time.Second, 7 * 24 * time.Hour} {
			bubble(t, func(t *testing.T) {
				svc := arohcp.New()
				svc.Put(cluster, map[string]any{})
				svc.Default.Duration = time.Hour
				p := aroBegin(t, svc, method, cluster, &poller.Options{Origins: []string{origin}})
				_, err := p.Poll(t.Context())
				require.NoError(t, err)
				time.Sleep(time.Hour + age) // the process is down
				ctx, stop := context.WithTimeout(t.Context(), time.Hour)
				defer stop()
				p, err = poller.Resume[raw](tokenOf(t, p), fakes.Client(svc), trusted)
				require.NoError(t, err)
				_, err = p.PollUntilDone(ctx)
				if age < 7*24*time.Hour || ends {
					require.NoError(t, err, method)
					return
				}
				requireWait(t, err, lroerrors.ReasonGone)
				require.ErrorContains(t, err, "ResourceNotFound")
			})
		}
	}
}
