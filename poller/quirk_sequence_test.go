package poller_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
	"github.com/lro-go/lro/poller"
)

// This file tests quirks that involve more than one operation.

// runThrough starts an operation on the resource at path and waits for it to end.
func runThrough(t *testing.T, svc *fakes.Service, method, path string) (raw, error) {
	p, err := poller.Begin[raw](quirkRequest(t, method, path), fakes.Client(svc), nil)
	if err != nil {
		return nil, err
	}
	return p.PollUntilDone(t.Context())
}

// W17: both deletions succeed, although the status URL returns 404 at the end of one and Succeeded
// at the end of the other.
func TestQuirkDeleteMayEndIn404(t *testing.T) {
	bubble(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Quirk(quirks.DeleteSometimesEndsIn404, "")
		for _, path := range []string{"/widgets/w1", "/widgets/w2"} {
			svc.Put(path, struct{}{})
			start := time.Now()
			_, err := runThrough(t, svc, http.MethodDelete, path)
			require.NoError(t, err)
			require.Equal(t, 3*time.Minute, time.Since(start))
		}
		require.Len(t, svc.Requests(), 5+4, "the poller must not read the resource after the second deletion")
	})
}

// W25: a parent cannot be deleted until its child's deletion has ended, even if the child already
// returns 404.
func TestQuirkChildGoneBeforeEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Quirk(quirks.ChildGoneBeforeEnd, "")
		const part = resource + "/parts/p1"
		svc.Put(resource, struct{}{})
		svc.Put(part, struct{}{})
		p, err := poller.Begin[raw](quirkRequest(t, http.MethodDelete, part), fakes.Client(svc), nil)
		require.NoError(t, err)

		_, err = runThrough(t, svc, http.MethodDelete, resource)
		var refused *lroerrors.StatusError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, 409, refused.StatusCode)
		require.Equal(t, "CannotDeleteResource", refused.Detail.Code)

		_, err = p.PollUntilDone(t.Context())
		require.NoError(t, err)
		_, err = runThrough(t, svc, http.MethodDelete, resource)
		require.NoError(t, err)
	})
}

// nameStillTaken says how a PUT ends if it creates a resource again right after its deletion, while
// the service reserves the name for another 30 seconds.
var nameStillTaken = quirkCase{
	quirk:  quirks.NameStillTaken,
	want:   quirkEnding{`StatusError 409: ShareBeingDeleted: The specified share is being deleted. Try operation later.`, 0, 1},
	option: "start again (Retryable)",
	retry:  poller.Retryable,
	with:   quirkEnding{made, 210 * time.Second, 7},
}

func TestQuirkNameStillTaken(t *testing.T) {
	for again, want := range map[bool]quirkEnding{false: nameStillTaken.want, true: nameStillTaken.with} {
		bubble(t, func(t *testing.T) {
			svc := &fakes.Service{}
			svc.Plan(fakes.Plan{Method: http.MethodDelete, Duration: 90 * time.Second})
			svc.Quirk(nameStillTaken.quirk, resource)
			svc.Put(resource, struct{}{})
			_, err := runThrough(t, svc, http.MethodDelete, "")
			require.NoError(t, err)

			start, before := time.Now(), len(svc.Requests())
			var retry func(error) bool
			if again {
				retry = nameStillTaken.retry
			}
			v, err := startAgain(retry, 15*time.Second, func() (raw, error) { return runThrough(t, svc, http.MethodPut, "") })
			require.Equal(t, want, quirkEnding{describeEnding(v, err), time.Since(start), len(svc.Requests()) - before})
		})
	}
}
