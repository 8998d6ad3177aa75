package poller_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

func TestGroupYieldsInOrderOfEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := fleet(map[string][]reply{
			"a": {"202\nRetry-After: 100", `200 "A"`},
			"b": {"202\nRetry-After: 10", `409 {"error":{"code":"Busy","message":"try later"}}`},
			"c": {"202\nRetry-After: 50", "403"},
			"d": {`200 "D"`},
		})
		g := poller.NewGroup[named](nil)
		for _, name := range []string{"a", "b", "c", "d"} {
			g.Add(follow(t, s, name, nil))
			time.Sleep(time.Second)
		}
		g.Close()
		ends := wait(t.Context(), g)
		require.Equal(t, []string{
			"d 59s", "b 1m7s *errors.OperationError", "c 1m48s *errors.WaitError", "a 2m36s",
		}, endsOf(ends))
		requireWait(t, ends[2].err, lroerrors.ReasonRefused)
		require.Empty(t, wait(t.Context(), g), "each operation must be yielded only once")
	})
}

// Wait yields an operation only after the group has read its result, which may have any type.
func TestGroupReadsResultsOfAnyType(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{
			"PUT " + resource: {accepted}, "POST " + resource: {acceptedAt}, "DELETE /gone": {"204"},
			get(monitor):  {succeeded, `200 [1,2]`},
			get(resource): {"404", "503\nRetry-After: 30", widget},
		})
		type thing struct{ ID string }
		put, err := poller.Begin[thing](newRequest(t, "PUT", resource), s.client(), nil)
		require.NoError(t, err)
		time.Sleep(time.Second)
		post, err := poller.Begin[[]int](newRequest(t, "POST", resource), s.client(), nil)
		require.NoError(t, err)
		del, err := poller.Begin[struct{}](newRequest(t, "DELETE", "/gone"), s.client(), nil)
		require.NoError(t, err)
		g := groupOf[poller.Operation](nil, put, post, del, put)
		var order []poller.Operation
		for op, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
			order = append(order, op)
		}
		require.Equal(t, []poller.Operation{del, post, put}, order)
		require.Equal(t, 100*time.Second, time.Since(s.began), "a failed read of a result must be retried after the same pause as one of a status")
		sent := len(s.requests())
		w, err := put.Result(t.Context())
		require.NoError(t, err)
		require.Equal(t, "w1", w.ID)
		n, err := post.Result(t.Context())
		require.NoError(t, err)
		require.Equal(t, []int{1, 2}, n)
		require.Len(t, s.requests(), sent)
		require.Equal(t, poller.GroupStats{Ended: 3, Polls: 5, Errors: 2}, g.Stats())
	})
}

func TestGroupReportsUnreadableResult(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := serve(map[string][]reply{
			"POST " + resource: {accepted + "\nLocation: /result"},
			get(monitor):       {succeeded}, get("/result"): {"400", `200 "text"`, `200 7`},
		})
		p, err := poller.Begin[int](newRequest(t, "POST", resource), s.client(), nil)
		require.NoError(t, err)
		g := groupOf(nil, p)
		var errs []error
		for op, err := range g.Wait(t.Context()) {
			errs = append(errs, err)
			if err != nil {
				g.Add(op) // allowed even after Close
			}
		}
		require.Len(t, errs, 3)
		require.IsType(t, &lroerrors.ResultError{}, errs[0])
		require.IsType(t, &lroerrors.ResultError{}, errs[1])
		require.ErrorContains(t, errs[1], "cannot unmarshal string")
		require.NoError(t, errs[2])
	})
}

// If a read fails, the group repeats it until it succeeds or the operation's Patience has run out.
// The failures of one operation do not end the wait for the other.
func TestGroupSurvivesFailedReads(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := fleet(map[string][]reply{
			"a": {"503", "drop", "200 {", `200 "A"`},
			"b": {"503"},
		})
		opts := &poller.Options{Patience: poller.Patience{Time: time.Minute, Failures: 2}}
		g := groupOf(nil, follow(t, s, "a", nil), follow(t, s, "b", opts))
		ends := wait(t.Context(), g)
		require.Equal(t, []string{"a 2m10s", "b 2m10.1s *errors.WaitError"}, endsOf(ends))
		requireWait(t, ends[1].err, lroerrors.ReasonPatience)
		require.Equal(t, poller.GroupStats{Ended: 2, Polls: 8, Errors: 7}, g.Stats())
	})
}

// If a refused read has ended the wait for an operation, the operation may be added again. The
// group reads it when its next read is due.
func TestGroupReadsRefusedOperationAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := fleet(map[string][]reply{"a": {"403", "200 1"}})
		g := groupOf(nil, follow(t, s, "a", nil))
		var errs []error
		for op, err := range g.Wait(t.Context()) {
			errs = append(errs, err)
			if len(errs) == 1 {
				g.Add(op)
			}
		}
		require.Len(t, errs, 2)
		requireWait(t, errs[0], lroerrors.ReasonRefused)
		require.NoError(t, errs[1])
		require.Equal(t, 70*time.Second, time.Since(s.began))
	})
}

func TestGroupIgnoresDuplicates(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := fleet(map[string][]reply{"a": {"202", "200 1"}})
		a := follow(t, s, "a", nil)
		g := groupOf[poller.Operation](nil, a, a, named{a.Poller, "another"}, a.Poller)
		require.Equal(t, 1, g.Stats().Waiting)
		for op, err := range g.Wait(t.Context()) {
			require.NoError(t, err)
			require.Equal(t, poller.Operation(a), op, "Wait must yield the value that was added first")
		}
		require.Equal(t, 2*time.Minute, time.Since(s.began))
		require.Len(t, s.requests(), 3)
	})
}

func TestOperationInTwoGroups(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := fleet(map[string][]reply{"a": {"202", "200 1"}})
		a := follow(t, slowly(s, time.Second), "a", nil)
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				require.Equal(t, []string{"a 2m2s"}, endsOf(wait(t.Context(), groupOf(nil, a))))
			})
		}
		both.Wait()
		require.Len(t, s.requests(), 3, "the groups must share the reads")
	})
}

func TestCloseEndsWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var g poller.Group[named]
		time.AfterFunc(time.Hour, g.Close)
		start := time.Now()
		require.Empty(t, wait(t.Context(), &g))
		require.Equal(t, time.Hour, time.Since(start))
		g.Close()
		require.Empty(t, wait(t.Context(), &g))
		require.Equal(t, time.Hour, time.Since(start))
	})
}

// If a read of the operation is in flight, Remove abandons that read.
func TestRemoveAbandonsRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := fleet(map[string][]reply{"a": {"202", "200 1"}, "b": {"202", "200 1"}})
		client := counting(slowly(s, 10*time.Second))
		a := followWith(t, client, "a", nil)
		b := followWith(t, client, "b", nil)
		g := groupOf(nil, a, b)
		time.AfterFunc(65*time.Second, func() {
			require.Equal(t, 2, g.Stats().InFlight)
			g.Remove(a)
			synctest.Wait()
			require.Equal(t, 1, client.underWay(), "Remove must abandon the read")
		})
		require.Equal(t, []string{"b 2m20.1s"}, endsOf(wait(t.Context(), g)))
		require.Zero(t, client.open)
		g.Add(a)
		require.Equal(t, []string{"a 1m20s"}, endsOf(wait(t.Context(), g)), "the other operation must end as usual")
	})
}

func TestCancelInGroup(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := fleet(map[string][]reply{"a": {"202", `409 {"error":{"code":"Canceled","message":"at your request"}}`}})
		s.replies["POST /stop"] = []reply{"202"}
		a := follow(t, s, "a", &poller.Options{CancelRequest: func(poller.Status) (*poller.Request, error) {
			return &poller.Request{URL: "/stop"}, nil
		}})
		time.AfterFunc(70*time.Second, func() {
			require.NoError(t, a.Cancel(t.Context()))
			a.WakeUp()
		})
		require.Equal(t, []string{"a 1m10s *errors.OperationError"}, endsOf(wait(t.Context(), groupOf(nil, a))))
	})
}
