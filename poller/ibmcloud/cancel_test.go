package ibmcloud_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/ibmcloud"
	"github.com/lro-go/lro/poller/resource"
)

const (
	create   = "POST /v2/widgets"
	ask      = "GET /v2/operations/op-1"
	cancel   = "DELETE /v2/operations/op-1"
	accepted = `202 {"href":"/v2/operations/op-1","status":"not_started"}`
)

// Cancel sends a DELETE, which only requests the cancellation. A second Cancel sends another
// DELETE. The operation ends when its status says so.
func TestCancelOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{answers: map[string][]string{
			create: {accepted},
			cancel: {"202", "204"},
			ask:    {`200 {"status":"canceling"}`, `200 {"status":"canceled","errors":[{"code":"canceled","message":"as asked"}]}`},
		}}
		p := begin[raw](t, s, create, &poller.Options{Strategy: ibmcloud.Operation{}})
		require.NoError(t, p.Cancel(t.Context()))
		require.NoError(t, p.Cancel(t.Context()), "a second Cancel must succeed")
		require.False(t, p.Done())
		_, err := p.PollUntilDone(t.Context())
		require.ErrorIs(t, err, lroerrors.ErrCanceled)
		require.NoError(t, p.Cancel(t.Context()))
		require.Equal(t, []string{create, cancel, cancel, ask, ask}, s.requests(), "Cancel must send nothing once the operation has ended")
	})
}

// If Cancel comes too late, it returns no error, and the operation still succeeds.
func TestCancelTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{answers: map[string][]string{
			create:                {accepted},
			cancel:                {`409 {"errors":[{"code":"too_late","message":"it has ended"}]}`},
			ask:                   {`200 {"status":"succeeded","resource":{"href":"/v2/widgets/w-1"}}`},
			"GET /v2/widgets/w-1": {`200 {"id":"w-1"}`},
		}}
		p := begin[raw](t, s, create, &poller.Options{Strategy: ibmcloud.Operation{}})
		require.NoError(t, p.Cancel(t.Context()))
		v, err := p.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.JSONEq(t, `{"id":"w-1"}`, string(v))
	})
}

func TestCancelAnswers(t *testing.T) {
	for answer, ok := range map[string]bool{
		"200": true, "202": true, "204": true, // the service accepts the cancellation
		"404": true, "409": true, "410": true, // the operation has already ended
		"400": false, "401": false, "403": false, "405": false, "422": false, "500": false, "501": false,
	} {
		s := &service{answers: map[string][]string{create: {accepted}, cancel: {answer}}}
		p := begin[raw](t, s, create, &poller.Options{Strategy: ibmcloud.Operation{}})
		err := p.Cancel(t.Context())
		if ok {
			require.NoError(t, err, answer)
		} else {
			require.IsType(t, &lroerrors.StatusError{}, err, answer)
		}
		require.False(t, p.Done(), "%s: Cancel must not end the operation", answer)
	}
}

func TestCancelResource(t *testing.T) {
	const (
		instance = "/v2/resource_instances/8d7af921"
		crn      = "/v2/resource_instances/crn%3Av1%3Aa%2F1%3A%3A"
	)
	body := func(cancelable string) string {
		return `202 {"url":"` + instance + `","state":"provisioning","last_operation":{"state":"in progress"` + cancelable + `}}`
	}
	tests := []struct {
		name, begin, answer, cancel string // cancel is "" if the operation cannot be canceled
	}{
		{"cancelable", "PATCH " + instance, body(`,"cancelable":true`), "DELETE " + instance + "/last_operation"},
		{"not reported", "PATCH " + instance, body(``), "DELETE " + instance + "/last_operation"},
		{"not cancelable", "PATCH " + instance, body(`,"cancelable":false`), ""},
		{"a creation, whose instance the service names", "POST /v2/resource_instances", body(`,"cancelable":true`), ""},
		{"a deletion", "DELETE " + instance, body(`,"cancelable":true`), "DELETE " + instance + "/last_operation"},
		{"an ID that is a CRN", "PATCH " + crn, body(`,"cancelable":true`), "DELETE " + crn + "/last_operation"},
		{"a query", "PATCH " + instance + "?a=1", body(``), "DELETE " + instance + "/last_operation?a=1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &service{answers: map[string][]string{tt.begin: {tt.answer}, tt.cancel: {"202"}}}
			p := begin[raw](t, s, tt.begin, &poller.Options{Strategy: ibmcloud.ResourceController()})
			err := p.Cancel(t.Context())
			if tt.cancel == "" {
				require.ErrorIs(t, err, errors.ErrUnsupported)
				require.Len(t, s.requests(), 1)
				return
			}
			require.NoError(t, err)
			require.Equal(t, []string{tt.begin, tt.cancel}, s.requests())
		})
	}
}

// If the service removes the instance after its creation is canceled, the operation ends as
// Canceled.
func TestCancelInstanceCreation(t *testing.T) {
	const instance = "/v2/resource_instances/8d7af921"
	synctest.Test(t, func(t *testing.T) {
		s := &service{answers: map[string][]string{
			"POST /v2/resource_instances":            {`202 {"url":"` + instance + `","state":"provisioning","last_operation":{"state":"in progress"}}`},
			"DELETE " + instance + "/last_operation": {"202"},
			"GET " + instance:                        {`200 {"state":"removed","last_operation":{"state":"in progress"}}`},
		}}
		var p *poller.Poller[raw]
		p = begin[raw](t, s, "POST /v2/resource_instances", &poller.Options{
			Strategy: ibmcloud.ResourceController(),
			CancelRequest: func(poller.Status) (*poller.Request, error) {
				return &poller.Request{Method: "DELETE", URL: p.URL() + "/last_operation"}, nil
			},
		})
		require.NoError(t, p.Cancel(t.Context()))
		_, err := p.PollUntilDone(t.Context())
		require.ErrorIs(t, err, lroerrors.ErrCanceled)
	})
}

// Cancel never sends a DELETE to a URL that may name a resource.
func TestCancelNeverDeletesResource(t *testing.T) {
	const update, widget = "PATCH /v2/widgets/w-1", "/v2/widgets/w-1"
	for what, answer := range map[string]string{
		update:                             `200 {"href":"` + widget + `","status":"in_progress"}`,
		"PUT " + widget:                    `202 {"href":"` + widget + `","status":"in_progress"}`,
		"PUT " + widget + "?version=1":     `202 {"href":"` + widget + `","status":"updating"}`,
		"PATCH " + widget + "?a=1":         `202 {"href":"https://API.example.test:443` + widget + `","status":"updating"}`,
		"PATCH " + widget + "?a=2":         `202 {"href":"` + widget + `/","status":"updating"}`,
		"POST " + widget + "/actions":      `202 {"href":"` + widget + `","status":"updating"}`,
		"POST /v2/widgets?a=1":             `202 {"href":"` + widget + `","status":"creating"}`,
		"GET " + widget:                    `200 {"status":"updating"}`,
		"PATCH /operations/v1/widgets/w-1": `202 {"href":"/operations/v1/widgets/w-1","status":"updating"}`,
		"PATCH /operations/w-1":            `202 {"href":"/operations/w-1","status":"updating"}`,
		"GET /operations/v1/widgets/w-1":   `200 {"status":"updating"}`,
		"POST /v2/widgets/a%2Fb/x":         `202 {"href":"/v2/widgets/a%2Fb","status":"updating"}`,
		"PUT " + widget + "/":              `201 {"status":"not_started"}`,
		create:                             `201 {"href":"/v2/operations/op-1","status":"in_progress"}`,

		// These responses contain a URL that may name an unrelated resource.
		"POST /v2/widgets?a=2":         `202 {"href":"/v2/resource_instances/victim","status":"creating"}`,
		"POST /v2/widgets?a=3":         `202 {"href":"/v2/widgets/victim","status":"creating"}`,
		"PATCH " + widget + "?a=3":     `202 {"href":"/v2/widgets/victim/operations/op-1","status":"updating"}`,
		"PATCH " + widget + "?a=4":     `202 {"href":"/v1/operations/op-1","status":"updating"}`,
		"PATCH " + widget + "?a=5":     `202 {"href":"/v2/operations/..%2fwidgets%2fvictim","status":"updating"}`,
		"PATCH " + widget + "?a=6":     `202 {"href":"` + origin + `/v2/operations/%2e%2e","status":"updating"}`,
		"PATCH " + widget + "?a=7":     `202 {"href":"/v2/operations/op-1/widgets","status":"updating"}`,
		"PATCH " + widget + "?a=8":     `202 {"href":"/v2/operations","status":"updating"}`,
		"POST " + widget + "/start":    `202 {"href":"/v2/jobs/j-1","status":"updating"}`,
		"GET /v2/operations/op-2":      `202 {"href":"/v2/operations/victim","status":"updating"}`,
		"PATCH /v2/operations/o-1/x":   `202 {"href":"/v2/operations/o-1","status":"updating"}`,
		"POST /accounts/a/widgets?b=1": `202 {"href":"/accounts/b/operations/op-1","status":"updating"}`,
	} {
		s := &service{answers: map[string][]string{what: {answer}}}
		p := begin[raw](t, s, what, &poller.Options{Strategy: ibmcloud.Operation{}})
		require.ErrorIs(t, p.Cancel(t.Context()), errors.ErrUnsupported, what)
		require.Len(t, s.requests(), 1)
	}
}

// An operation can be canceled if its URL is directly below a segment "operations" that is itself
// below the request's URL or one of its parents.
func TestCancelOperationURL(t *testing.T) {
	for what, answer := range map[string]string{
		"POST /v2/widgets":           "/v2/operations/op-1",
		"PUT /v2/widgets/w-1":        "/v2/widgets/w-1/operations/op-1",
		"POST /v2/things":            "/v2/things/t-1/operations/op-1",
		"PATCH /v2/widget":           "/operations/1",
		"PATCH /v2/widgets/w-1":      "/v2/widgets/w-1/operations/op-1/?a=1",
		"DELETE /v2/widgets/w-1":     "/v2/operations/op-1",
		"POST /v2/widgets/w-1/start": "/v2/widgets/w-1/operations/crn%3Av1%3Aa%2F1%3A%3A",
	} {
		s := &service{answers: map[string][]string{what: {`202 {"status":"not_started","href":"` + answer + `"}`}, "DELETE " + answer: {"204"}}}
		p := begin[raw](t, s, what, &poller.Options{Strategy: ibmcloud.Operation{}})
		require.NoError(t, p.Cancel(t.Context()), what)
		require.Equal(t, []string{what, "DELETE " + answer}, s.requests())
	}
}

// If the first request is a GET of the operation's URL, Cancel sends a DELETE to that URL, because
// the caller chose it.
func TestCancelAfterGet(t *testing.T) {
	for _, answer := range []string{`200 {"status":"creating"}`, "202", "200 <html>"} {
		s := &service{answers: map[string][]string{ask: {answer}, cancel: {"202"}}}
		p := begin[raw](t, s, ask, &poller.Options{Strategy: ibmcloud.Operation{}})
		require.NoError(t, p.Cancel(t.Context()), answer)
		require.Equal(t, []string{ask, cancel}, s.requests())
	}
}

// If the protocol has no cancel request, Cancel returns ErrUnsupported and sends nothing.
func TestCancelUnsupported(t *testing.T) {
	for _, strategy := range []poller.Strategy{resource.Strategy{}, ibmcloud.VPC(), ibmcloud.CodeEngine()} {
		s := &service{answers: map[string][]string{"PUT /v1/widgets/w-1": {"202"}}}
		p := begin[raw](t, s, "PUT /v1/widgets/w-1", &poller.Options{Strategy: strategy})
		require.ErrorIs(t, p.Cancel(t.Context()), errors.ErrUnsupported)
		require.Len(t, s.requests(), 1)
	}
}

// After a resume, Cancel sends the DELETE to the operation's URL, which the token contains.
func TestCancelAfterResume(t *testing.T) {
	s := &service{answers: map[string][]string{create: {accepted}, cancel: {"204"}}}
	opts := &poller.Options{Strategy: ibmcloud.Operation{}, Origins: []string{origin}}
	p := begin[raw](t, s, create, opts)
	token, err := p.ResumeToken()
	require.NoError(t, err)
	p, err = poller.Resume[raw](token, s.client(), opts)
	require.NoError(t, err)
	require.NoError(t, p.Cancel(t.Context()))
	require.Equal(t, []string{create, cancel}, s.requests())
}

// If last_operation describes an earlier operation, Cancel must not cancel it.
func TestCancelIgnoresEarlierOperation(t *testing.T) {
	const instance = "/v2/resource_instances/8d7af921"
	s := &service{answers: map[string][]string{
		"PATCH " + instance: {"202"},
		"GET " + instance:   {`200 {"last_operation":{"type":"create","state":"in progress","cancelable":true}}`},
	}}
	p := begin[raw](t, s, "PATCH "+instance, &poller.Options{Strategy: ibmcloud.ResourceController()})
	_, err := p.Poll(t.Context())
	require.NoError(t, err)
	require.ErrorIs(t, p.Cancel(t.Context()), errors.ErrUnsupported)
}
