package lrotf_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller/lrotf/lrotftest"
)

func TestLifecycle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		result, took := r.apply(w1(1))
		require.Empty(t, texts(result))
		require.Equal(t, "create", result.Action)
		require.Equal(t, days, took)
		require.Equal(t, "1", r.Attribute("size"))
		require.Equal(t, widgetPath+"w1", r.Attribute("id"))
		require.Equal(t, "Succeeded", r.Attribute("provisioning_state"))
		require.Empty(t, r.Private())
		require.Equal(t, "no-op", r.plan(w1(1)).Action)

		result, took = r.apply(w1(2))
		require.Equal(t, "update", result.Action)
		require.Equal(t, days, took)
		require.Equal(t, "2", r.Attribute("size"))
		require.Equal(t, "no-op", r.plan(w1(2)).Action)

		result, took = r.apply(impatient(2))
		require.Equal(t, "update", result.Action)
		require.Zero(t, took, "new timeouts must send no request")
		require.Equal(t, 2, r.started(put))

		result, took = r.apply(w1(2))
		require.Empty(t, texts(result))
		require.Zero(t, took)
		result, took = r.apply(nil)
		require.Equal(t, "delete", result.Action)
		require.Empty(t, texts(result))
		require.Equal(t, days, took)
		require.False(t, r.HasState())
		_, there := r.svc.Resource(widgetPath + "w1")
		require.False(t, there)
	})
}

// TestDeletedElsewhere checks that Read removes a widget from the state after another client has
// deleted it.
func TestDeletedElsewhere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fakes.Plan{Polls: 1})
		r.apply(w1(1))
		req, err := http.NewRequestWithContext(t.Context(), remove, "https://a.test"+widgetPath+"w1", http.NoBody)
		require.NoError(t, err)
		resp, err := fakes.Client(r.svc).Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())

		require.Equal(t, "update", r.plan(w1(1)).Action, "the plan must show the deletion in progress")
		r.svc.Finish(widgetPath + "w1")
		require.Equal(t, "create", r.plan(w1(1)).Action)
		result, _ := r.apply(nil)
		require.Equal(t, "no-op", result.Action)
		require.False(t, r.HasState())
	})
}

func TestRename(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fakes.Plan{Polls: -1})
		r.apply(w1(1))
		config := w1(1)
		config["name"] = "w2"
		result, _ := r.apply(config)
		require.Equal(t, "replace", result.Action)
		require.Equal(t, widgetPath+"w2", r.Attribute("id"))
	})
}

// Create tolerates a 404 for the widget it has just created, because a replica of the service might
// not know the widget yet.
func TestNotFoundAfterCreate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fakes.Plan{Polls: 1})
		r.svc.Fault(fakes.Fault{Kind: fakes.Read, Nth: 2, Times: 3, Do: fakes.Status(http.StatusNotFound)})
		result, _ := r.apply(w1(1))
		require.Empty(t, texts(result))
		require.Equal(t, "Succeeded", r.Attribute("provisioning_state"))
		reads := 0
		for _, q := range r.svc.Requests() {
			if q.Kind == fakes.Read {
				reads++
			}
		}
		require.Equal(t, 1+3+1, reads, "Create must read the widget once before the request, three times with a 404, and once with success")
	})
}

// The diagnostic for a failed creation gives the service's reason and the path of the attribute
// that the error names. The next apply replaces the widget.
func TestFailure(t *testing.T) {
	t.Parallel()
	quota := fakes.Error{
		Code: "QuotaExceeded", Message: "The request is over a quota.",
		Details: []fakes.Error{{Code: "SizeLimit", Message: "At most 100.", Target: "properties.size"}},
	}
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fakes.Plan{Method: put, Times: 1, Polls: 1, Ending: fakes.Failed, Error: quota})
		result, _ := r.apply(w1(1000))
		require.True(t, result.Failed())
		require.Regexp(t, `^ERROR: Creating widget "w1": failed: QuotaExceeded
The request is over a quota. \(code QuotaExceeded\)
  - At most 100. \(code SizeLimit\) \(target properties.size\)
operation: \S+
request id: \S+

Terraform marks the resource as tainted: .+
at AttributeName\("size"\)
$`, texts(result))
		require.True(t, r.Tainted())
		require.Empty(t, r.Private())
		result, _ = r.apply(w1(10))
		require.Equal(t, "replace", result.Action)
		require.False(t, result.Failed(), "%s", texts(result))
	})
}

func TestRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.svc.Fault(fakes.Fault{Kind: fakes.Begin, Do: fakes.Status(http.StatusForbidden)})
		result, _ := r.apply(w1(1))
		require.Contains(t, texts(result), `ERROR: Creating widget "w1": refused with 403: `)
		require.NotContains(t, texts(result), "import it")
		require.False(t, r.HasState())
	})
}

// If a request gets no response, or only a gateway's 502, the diagnostic says that the widget may
// exist.
func TestNoResponse(t *testing.T) {
	t.Parallel()
	for want, fault := range map[string]func(http.Handler) http.Handler{
		"no response": fakes.Drop(), "refused with 502": fakes.Status(http.StatusBadGateway),
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			r.svc.Fault(fakes.Fault{Kind: fakes.Begin, Do: fault})
			result, _ := r.apply(w1(1))
			require.Contains(t, texts(result), `ERROR: Creating widget "w1": `+want)
			require.Contains(t, texts(result), "import it")
			require.False(t, r.HasState())
		})
	}
}

func TestImport(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.svc.Put(widgetPath+"w1", map[string]any{"properties": map[string]any{"size": 7}})
		result, err := r.Import(t.Context(), "w1")
		require.NoError(t, err)
		require.Empty(t, texts(result))
		require.Equal(t, "7", r.Attribute("size"))
		require.Equal(t, "no-op", r.plan(lrotftest.Config{"name": "w1", "size": 7}).Action)
	})
}

// TestImportAfterKill checks that Create leaves a widget alone if a killed process started its
// creation, and that an import resumes the creation.
func TestImportAfterKill(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		killed := *r.Workspace // a copy, because a killed process would not store its state in r
		start := time.Now()
		time.AfterFunc(time.Hour, func() { _ = killed.Stop(t.Context()) })
		_, err := killed.Apply(t.Context(), w1(1))
		require.NoError(t, err)
		r.restart()
		require.False(t, r.HasState())

		result, _ := r.apply(w1(1))
		require.Contains(t, texts(result), `ERROR: There is already a widget "w1"`)
		require.Contains(t, texts(result), "tofu import")
		require.False(t, r.HasState())

		_, err = r.Import(t.Context(), "w1")
		require.NoError(t, err)
		require.Equal(t, "Working", r.Attribute("provisioning_state"))
		result, _ = r.apply(w1(1))
		require.Equal(t, "update", result.Action)
		require.False(t, result.Failed(), "%s", texts(result))
		require.Equal(t, 1, r.started(put))
		require.Equal(t, days, time.Since(start).Truncate(time.Hour))
		require.Equal(t, "no-op", r.plan(w1(1)).Action)
	})
}
