package ibm_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/checker/ibm"
	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

const (
	collection = "https://a.test/v1/widgets?version=1"
	operation  = "https://a.test/v1/operations/op-1"
	widget     = "https://a.test/v1/widgets/w-1"
)

// broken returns the IDs of the rules that an operation breaks. It fails the test if a finding has
// no text.
func broken(t *testing.T, tables []rule.Table, op *trace.Operation) (ids []string) {
	t.Helper()
	for i, x := range op.Exchanges {
		x.N = i + 1
	}
	for _, r := range rule.Join(tables...) {
		found, _ := r.Check(op)
		if found != nil {
			require.NotEmpty(t, found.Text)
			ids = append(ids, r.ID)
		}
	}
	return ids
}

func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

func status(phase trace.Phase, reader int, body string) *trace.Exchange {
	return &trace.Exchange{
		Role: trace.Status, Source: ibm.Location, Phase: phase, Reader: reader, Method: http.MethodGet, URL: operation,
		StatusCode: http.StatusOK, Header: http.Header{}, Body: []byte(body),
	}
}

func resource(phase trace.Phase, reader int, body string) *trace.Exchange {
	return &trace.Exchange{
		Role: trace.Resource, Source: ibm.Status, Phase: phase, Reader: reader, Method: http.MethodGet, URL: widget,
		StatusCode: http.StatusOK, Header: http.Header{}, Body: []byte(body),
	}
}

const (
	running = `{"href":"` + operation + `","status":"in_progress"}`
	done    = `{"href":"` + operation + `","status":"succeeded","resource":{"href":"` + widget + `"}}`
)

// The indexes of the exchanges in the operations that creation() and change() return.
const (
	first = iota
	inProgress
	ended
	again
	second
	result
)

// creation returns an operation that has an operation resource and breaks no rule.
func creation() *trace.Operation {
	return &trace.Operation{
		Method: http.MethodPost, URL: collection, Resource: widget, End: trace.Succeeded, Polled: ibm.Location,
		Exchanges: []*trace.Exchange{
			first: {
				Role: trace.Start, Method: http.MethodPost, URL: collection, StatusCode: http.StatusAccepted,
				Header: header("Location", operation, "Retry-After", "5"), Body: []byte(`{"href":"` + operation + `","status":"not_started"}`),
			},
			inProgress: status(trace.During, 1, running),
			ended:      status(trace.During, 1, done),
			again:      status(trace.After, 1, done),
			second:     status(trace.After, 2, done),
			result:     resource(trace.After, 1, `{"name":"w"}`),
		},
	}
}

func TestOperationRules(t *testing.T) {
	body := func(i int, text string) func(*trace.Operation) {
		return func(op *trace.Operation) { op.Exchanges[i].Body = []byte(text) }
	}
	code := func(i, code int) func(*trace.Operation) {
		return func(op *trace.Operation) { op.Exchanges[i].StatusCode = code }
	}
	failedWith := func(errors string) func(*trace.Operation) {
		return func(op *trace.Operation) {
			op.End = trace.Failed
			op.Exchanges = op.Exchanges[:result]
			for _, i := range []int{ended, again, second} {
				op.Exchanges[i].Body = []byte(`{"href":"` + operation + `","status":"failed"` + errors + `}`)
			}
		}
	}
	for name, test := range map[string]struct {
		change func(*trace.Operation)
		broken []string
	}{
		"no violation":    {func(*trace.Operation) {}, nil},
		"201":             {code(first, http.StatusCreated), []string{"ibm-operation-accepted"}},
		"no body":         {body(first, ""), []string{"ibm-operation-body"}},
		"no location":     {func(op *trace.Operation) { op.Exchanges[first].Header.Del("Location") }, []string{"ibm-operation-location"}},
		"no href":         {body(inProgress, `{"status":"in_progress"}`), []string{"ibm-operation-href"}},
		"another href":    {body(inProgress, `{"href":"/v1/others/1","status":"in_progress"}`), []string{"ibm-operation-href-location"}},
		"no Retry-After":  {func(op *trace.Operation) { op.Exchanges[first].Header.Del("Retry-After") }, []string{"ibm-operation-retry-after"}},
		"fraction":        {func(op *trace.Operation) { op.Exchanges[inProgress].Header.Set("Retry-After", "1.5") }, []string{"ibm-operation-retry-after-seconds"}},
		"silent":          {func(op *trace.Operation) { op.End = trace.Silent }, []string{"ibm-operation-outcome"}},
		"404":             {code(inProgress, http.StatusNotFound), []string{"ibm-operation-get"}},
		"no status":       {body(inProgress, `{"href":"`+operation+`"}`), []string{"ibm-operation-status"}},
		"state":           {body(inProgress, `{"href":"`+operation+`","state":"in_progress"}`), []string{"ibm-operation-status-name"}},
		"foreign word":    {body(inProgress, `{"href":"`+operation+`","status":"completed"}`), []string{"ibm-operation-words"}},
		"capital":         {body(inProgress, `{"href":"`+operation+`","status":"Creating"}`), []string{"ibm-operation-word-case"}},
		"back":            {body(ended, `{"href":"`+operation+`","status":"not_started"}`), []string{"ibm-operation-status-back"}},
		"expired":         {code(again, http.StatusNotFound), []string{"ibm-operation-preserved"}},
		"not final":       {body(again, running), []string{"ibm-operation-final"}},
		"other reader":    {body(second, `{"href":"`+operation+`","status":"failed","errors":[{"code":"c","message":"m"}]}`), []string{"ibm-operation-readers", "ibm-operation-final"}},
		"no errors":       {failedWith(""), []string{"ibm-operation-errors"}},
		"odd errors":      {failedWith(`,"errors":["full"]`), []string{"ibm-operation-error-models"}},
		"good errors":     {failedWith(`,"errors":[{"code":"c","message":"m"}]`), nil},
		"early errors":    {body(inProgress, `{"href":"`+operation+`","status":"in_progress","errors":[{"code":"c","message":"m"}]}`), []string{"ibm-operation-errors-early"}},
		"no target":       {body(ended, `{"href":"`+operation+`","status":"succeeded"}`), []string{"ibm-operation-target"}},
		"missing result":  {code(result, http.StatusNotFound), []string{"ibm-operation-target-get"}},
		"still there":     {func(op *trace.Operation) { op.Method = http.MethodDelete }, []string{"ibm-operation-deleted"}},
		"unknown":         {probe(http.StatusOK), []string{"ibm-operation-unknown"}},
		"unknown, 404":    {probe(http.StatusNotFound), nil},
		"cancel, 500":     {cancel(http.StatusInternalServerError, http.StatusOK), []string{"ibm-operation-cancel"}},
		"cancel, expired": {cancel(http.StatusNoContent, http.StatusNotFound), []string{"ibm-operation-get", "ibm-operation-cancel-status"}},
		"cancel":          {cancel(http.StatusNoContent, http.StatusOK), nil},
	} {
		t.Run(name, func(t *testing.T) {
			op := creation()
			test.change(op)
			require.Equal(t, test.broken, broken(t, ibm.OperationTables(), op))
		})
	}
}

// probe returns a function that adds a read of an unknown operation. The response has the given
// status code.
func probe(code int) func(*trace.Operation) {
	return func(op *trace.Operation) {
		op.Add(&trace.Exchange{Role: trace.Probe, Probe: "unknown-operation", Phase: trace.After, StatusCode: code})
	}
}

// cancel returns a function that inserts a cancel request after the first read of the status. The
// parameters are the status codes of the responses to the cancel request and to the next read.
func cancel(code, next int) func(*trace.Operation) {
	return func(op *trace.Operation) {
		x := &trace.Exchange{Role: trace.Cancel, Phase: trace.During, Method: http.MethodDelete, URL: operation, StatusCode: code}
		op.Exchanges[ended].StatusCode = next
		op.Exchanges = append(op.Exchanges[:ended:ended], append([]*trace.Exchange{x}, op.Exchanges[ended:]...)...)
	}
}

// change returns an operation that reports its status in the resource and breaks no rule.
func change() *trace.Operation {
	return &trace.Operation{
		Method: http.MethodPost, URL: collection, Resource: widget, End: trace.Succeeded, Polled: ibm.Status,
		Exchanges: []*trace.Exchange{
			first: {
				Role: trace.Start, Method: http.MethodPost, URL: collection, StatusCode: http.StatusAccepted,
				Header: header("Retry-After", "5"), Body: []byte(`{"href":"` + widget + `","status":"pending"}`),
			},
			inProgress: resource(trace.During, 1, `{"status":"pending"}`),
			ended:      resource(trace.During, 1, `{"status":"available"}`),
			again:      resource(trace.After, 1, `{"status":"available"}`),
			second:     resource(trace.After, 2, `{"status":"available"}`),
		},
	}
}

func TestResourceRules(t *testing.T) {
	body := func(i int, text string) func(*trace.Operation) {
		return func(op *trace.Operation) { op.Exchanges[i].Body = []byte(text) }
	}
	for name, test := range map[string]struct {
		change func(*trace.Operation)
		broken []string
	}{
		"no violation":   {func(*trace.Operation) {}, nil},
		"201":            {func(op *trace.Operation) { op.Exchanges[first].StatusCode = http.StatusCreated }, []string{"ibm-resource-accepted"}},
		"no body":        {body(first, ""), []string{"ibm-resource-body"}},
		"no URL":         {func(op *trace.Operation) { op.Resource = "" }, []string{"ibm-resource-url"}},
		"404":            {func(op *trace.Operation) { op.Exchanges[inProgress].StatusCode = http.StatusNotFound }, []string{"ibm-resource-get"}},
		"no status":      {body(inProgress, `{}`), []string{"ibm-resource-status"}},
		"state":          {body(inProgress, `{"lifecycle_state":"pending"}`), []string{"ibm-resource-status-name"}},
		"not final":      {body(again, `{"status":"pending"}`), []string{"ibm-resource-final", "ibm-resource-readers"}},
		"no Retry-After": {func(op *trace.Operation) { op.Exchanges[first].Header = http.Header{} }, []string{"ibm-resource-retry-after"}},
		"date": {func(op *trace.Operation) {
			op.Exchanges[first].Header.Set("Retry-After", "Fri, 02 Jan 2026 03:04:05 GMT")
		}, []string{"ibm-resource-retry-after-seconds"}},
		"silent":      {func(op *trace.Operation) { op.End = trace.Silent }, []string{"ibm-resource-outcome"}},
		"still there": {func(op *trace.Operation) { op.Method = http.MethodDelete }, []string{"ibm-resource-deleted"}},
	} {
		t.Run(name, func(t *testing.T) {
			op := change()
			test.change(op)
			require.Equal(t, test.broken, broken(t, ibm.ResourceTables(), op))
		})
	}
}

func TestOperationProtocol(t *testing.T) {
	p := ibm.Operation{}
	require.Empty(t, p.Resource(http.MethodPost, collection))
	require.Equal(t, widget, p.Resource(http.MethodPut, widget))

	op := creation()
	op.Resource = ""
	watches := p.Watches(op)
	require.Equal(t, []trace.Watch{{Role: trace.Status, Source: ibm.Location, URL: operation}}, watches)
	require.Equal(t, operation, p.Next(op.Exchanges[inProgress], watches[0]))
	require.Equal(t, trace.InProgress, p.State(op, op.Exchanges[inProgress]))
	require.Empty(t, op.Resource)
	require.Equal(t, trace.HasSucceeded, p.State(op, op.Exchanges[ended]))
	require.Equal(t, widget, op.Resource, "the check needs the URL to read and delete what the POST has created")

	op.Exchanges[first].Header = header("Content-Location", "/v1/operations/op-1")
	require.Equal(t, []trace.Watch{{Role: trace.Status, Source: ibm.ContentLocation, URL: operation}}, p.Watches(op))
	op.Exchanges[first].Header = http.Header{}
	require.Equal(t, []trace.Watch{{Role: trace.Status, Source: ibm.Href, URL: operation}}, p.Watches(op))
	op.Exchanges[first].StatusCode = http.StatusCreated
	op.Exchanges[first].Body = []byte(`{"href":"` + widget + `"}`)
	require.Empty(t, p.Watches(op), "the operation completed at once")
}

func TestResourceProtocol(t *testing.T) {
	p := ibm.Resource{}
	op := change()
	op.Resource = ""
	require.Equal(t, []trace.Watch{{Role: trace.Resource, Source: ibm.Status, URL: widget + "?version=1"}}, p.Watches(op))
	for body, want := range map[string]trace.State{
		`{"status":"pending"}`:                                        trace.InProgress,
		`{"status":"Available"}`:                                      trace.HasSucceeded,
		`{"lifecycle_state":"failed"}`:                                trace.HasFailed,
		`{"provisioning_status":"active"}`:                            trace.HasSucceeded,
		`{"state":"active","last_operation":{"state":"in progress"}}`: trace.InProgress,
		`{}`: trace.Unknown,
	} {
		require.Equal(t, want, p.State(op, resource(trace.During, 1, body)), body)
	}

	op.Exchanges[first].Body = []byte(`{"href":"` + widget + `","status":"available"}`)
	require.NotEmpty(t, p.Watches(op), "after a 202, the operation has not ended yet")
	op.Exchanges[first].StatusCode = http.StatusOK
	require.Empty(t, p.Watches(op))

	deletion := &trace.Operation{Method: http.MethodDelete, URL: widget, Resource: widget, Exchanges: []*trace.Exchange{{
		Role: trace.Start, Method: http.MethodDelete, URL: widget, StatusCode: http.StatusNoContent,
	}}}
	require.NotEmpty(t, p.Watches(deletion))
	gone := resource(trace.During, 1, "")
	gone.StatusCode = http.StatusNotFound
	require.Equal(t, trace.HasSucceeded, p.State(deletion, gone))
	require.Equal(t, trace.InProgress, p.State(deletion, resource(trace.During, 1, `{"status":"available"}`)))
	require.Equal(t, trace.HasFailed, p.State(deletion, resource(trace.During, 1, `{"status":"failed"}`)))
	require.Equal(t, trace.HasSucceeded, p.State(deletion, resource(trace.During, 1, `{"state":"removed","last_operation":{"state":"succeeded"}}`)))
}
