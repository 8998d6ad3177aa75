package checker_test

import (
	"bytes"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/checker"
	"github.com/lro-go/lro/cmd/lro/checker/rules"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
)

// A quirkRow lists the rules that a service with a quirk breaks.
type quirkRow struct {
	quirk  string
	breaks string     // the IDs of the rules that the quirk breaks, in the order of rules.For
	life   []string   // the requests; the variable life by default
	plan   fakes.Plan // by default, an operation that takes 30 s
	opts   checker.Options
	exists bool // whether the resource exists before the first request
}

var (
	create      = life[:1]
	update      = life[:2]
	act         = []string{life[0], life[3]}
	everyHeader = fakes.Plan{Style: fakes.AzureAsyncOperation | fakes.Location}
	onlyResult  = fakes.Plan{Style: fakes.Location}
	fails       = fakes.Plan{Ending: fakes.Failed}
	isCanceled  = fakes.Plan{Ending: fakes.Canceled}
	probing     = checker.Options{Probe: true}
)

// quirkRows has at least one row for each quirk of package quirks.
var quirkRows = []quirkRow{
	{quirk: "A.6/canceled", breaks: "arm-word-terminal arm-word-case", plan: isCanceled},
	{quirk: "A.6/failed", breaks: "arm-word-terminal arm-word-case", plan: fails},
	{quirk: "A.6/running"},
	{quirk: "A.6/succeeded", breaks: "arm-word-terminal"},
	{quirk: "W1", breaks: "arm-monitor-found"},
	{quirk: "W1", breaks: "arm-location-readable", plan: onlyResult},
	{quirk: "W1/again", breaks: "arm-monitor-found"},
	{quirk: "W1/again", breaks: "arm-location-readable", plan: onlyResult},
	{quirk: "W10"},
	{quirk: "W11"},
	{quirk: "W12", breaks: "arm-location-host"},
	{quirk: "W13", breaks: "arm-resource-found", life: create},
	{quirk: "W14", breaks: "arm-location-absolute", life: create},
	{quirk: "W15", breaks: "arm-location-version arm-location-readable"},
	{quirk: "W16", breaks: "arm-location-readable"},
	{quirk: "W17/delete", breaks: "arm-monitor-found arm-location-readable"},
	{quirk: "W17/purge", life: []string{"PUT " + deletedWidget + " {}", "POST " + deletedWidget + "/purge"}},
	{quirk: "W18", breaks: "arm-monitor-ends", plan: everyHeader},
	{quirk: "W19/404", breaks: "arm-monitor-found", life: update},
	{quirk: "W19/invalid", breaks: "arm-status-url-absolute", life: update},
	{quirk: "W2", life: update},
	{quirk: "W20", breaks: "arm-monitor-ends arm-resource-state", life: update},
	{quirk: "W21", plan: fails},
	{quirk: "W22", breaks: "arm-location-readable", life: create, plan: fails},
	{quirk: "W23/busy"},
	{quirk: "W23/retryable"},
	{quirk: "W24"},
	{quirk: "W25", breaks: "arm-delete-early"},
	{quirk: "W26", breaks: "arm-delete-gone"},
	{quirk: "W27", breaks: "arm-resource-found", life: create},
	{quirk: "W28", breaks: "arm-resource-found arm-resource-stable", life: create},
	{quirk: "W29", life: []string{"POST /subscriptions/s/providers/Microsoft.Contoso/register"}},
	{quirk: "W3", breaks: "arm-delete-early"},
	{quirk: "W30", breaks: "arm-resource-found arm-resource-stable", life: create},
	{quirk: "W31", breaks: "arm-resource-visible", life: create},
	{quirk: "W32/flapping", breaks: "arm-resource-found arm-resource-stable", life: create},
	{quirk: "W32/flapping", breaks: "arm-resource-stable arm-delete-gone", life: life[6:], exists: true},
	{quirk: "W32/flapping", breaks: "arm-resource-values arm-resource-stable", life: create, exists: true},
	{quirk: "W32/stale", breaks: "arm-resource-found", life: create},
	{quirk: "W32/stale", breaks: "arm-resource-values", life: create, exists: true},
	{quirk: "W32/stale", breaks: "arm-delete-gone", life: life[6:], exists: true},
	{quirk: "W33"},
	{quirk: "W34"},
	{quirk: "W35"},
	{quirk: "W36", breaks: "arm-location-state arm-resource-terminal"},
	{quirk: "W37/moving"},
	{quirk: "W37/succeeded", breaks: "arm-put-state-running arm-resource-terminal", life: create},
	{quirk: "W38", life: []string{"PUT " + deletedWidget + " {}", "POST " + deletedWidget + "/purge"}},
	{quirk: "W39/endless", breaks: "arm-location-ends arm-resource-hidden", life: create},
	{quirk: "W39/stateless", life: update},
	{quirk: "W4/capital", breaks: "arm-put-state arm-monitor-status"},
	{quirk: "W4/no-status", breaks: "arm-monitor-status"},
	{quirk: "W4/reverted", breaks: "arm-resource-values"},
	{quirk: "W40/200", breaks: "arm-delete-gone"},
	{quirk: "W40/202", breaks: "arm-accepted-location"},
	{quirk: "W41/additional-info", life: create},
	{quirk: "W41/below-properties", breaks: "arm-monitor-properties arm-monitor-error", life: create},
	{quirk: "W41/capitals", breaks: "arm-error-body", life: create},
	{quirk: "W41/code-in-header", breaks: "arm-monitor-error", life: create},
	{quirk: "W41/communication-error", breaks: "arm-error-body", life: create},
	{quirk: "W41/details", life: create},
	{quirk: "W41/details-object", breaks: "arm-error-details", life: create},
	{quirk: "W41/empty", breaks: "arm-error-body", life: create},
	{quirk: "W41/error-code", breaks: "arm-error-body", life: create},
	{quirk: "W41/error-null", breaks: "arm-monitor-error", life: create},
	{quirk: "W41/error-response", breaks: "arm-error-body", life: create},
	{quirk: "W41/error-string", breaks: "arm-monitor-error", life: create},
	{quirk: "W41/html", breaks: "arm-content-type arm-error-body", life: create},
	{quirk: "W41/message-object", breaks: "arm-monitor-error-message", life: create},
	{quirk: "W41/nested", life: create},
	{quirk: "W41/no-code", breaks: "arm-monitor-error-code", life: create},
	{quirk: "W41/numeric-code", breaks: "arm-monitor-error-code", life: create},
	{quirk: "W41/problem", breaks: "arm-error-body", life: create},
	{quirk: "W41/provisioning-details", life: create},
	{quirk: "W41/provisioning-error", life: create},
	{quirk: "W41/remote-exception", breaks: "arm-error-body", life: create},
	{quirk: "W41/status-alone", breaks: "arm-monitor-error", life: create},
	{quirk: "W41/string", breaks: "arm-error-body", life: create},
	{quirk: "W41/text", breaks: "arm-content-type arm-error-body", life: create},
	{quirk: "W41/unknown", breaks: "arm-error-body", life: create},
	{quirk: "W41/xml", breaks: "arm-content-type arm-byte-order-mark arm-error-body", life: create},
	{quirk: "W42", breaks: "arm-byte-order-mark"},
	{quirk: "W43", breaks: "arm-monitor-times"},
	{quirk: "W44", breaks: "arm-monitor-status"},
	{quirk: "W45"},
	{quirk: "W46", breaks: "arm-monitor-code", plan: everyHeader},
	{quirk: "W47", breaks: "arm-conflict-code arm-conflict-survives", opts: probing},
	{quirk: "W48/long", breaks: "arm-retry-after-bounds"},
	{quirk: "W48/once"},
	{quirk: "W48/short"},
	{quirk: "W49/bare"},
	{quirk: "W49/retryable"},
	{quirk: "W49/text", breaks: "arm-content-type arm-error-body"},
	{quirk: "W5", life: create},
	{quirk: "W50"},
	{quirk: "W51", breaks: "arm-delete-gone"},
	{quirk: "W52", breaks: "arm-monitor-status", life: create, plan: fakes.Plan{Duration: 40 * time.Minute}, opts: checker.Options{Timeout: time.Hour, Interval: time.Minute}},
	{quirk: "W53", breaks: "arm-location-progress arm-location-body", plan: onlyResult},
	{quirk: "W54/408", breaks: "arm-monitor-readable"},
	{quirk: "W54/408", breaks: "arm-location-readable", plan: onlyResult},
	{quirk: "W54/424", breaks: "arm-monitor-readable"},
	{quirk: "W54/424", breaks: "arm-location-readable", plan: onlyResult},
	{quirk: "W55", breaks: "arm-word-terminal", life: act, plan: onlyResult},
	{quirk: "W56/empty", breaks: "arm-delete-again"},
	{quirk: "W56/untyped", breaks: "arm-content-type"},
	{quirk: "W57"},
	{quirk: "W58", life: []string{life[0], life[6], life[0]}},
	{quirk: "W59", breaks: "arm-conflict-code", opts: probing},
	{quirk: "W6", breaks: "arm-monitor-object arm-location-body", plan: fakes.Plan{}},
	{quirk: "W60/no-code", breaks: "arm-error-code arm-monitor-error-code", plan: fails},
	{quirk: "W60/star"},
	{quirk: "W61", breaks: "arm-url-scheme"},
	{quirk: "W7", breaks: "arm-word-terminal", life: update},
	{quirk: "W8", breaks: "arm-put-created arm-put-state arm-resource-state", life: create},
	{quirk: "W9/200", breaks: "arm-put-created"},
	{quirk: "W9/flag", breaks: "arm-accepted-location arm-resource-id arm-resource-name arm-resource-type", life: create},
}

const deletedWidget = group + "/deletedWidgets/w1"

// A service with a quirk breaks exactly the rules that the quirk's row lists.
func TestQuirks(t *testing.T) {
	t.Parallel()
	var all []string
	for _, row := range quirkRows {
		all = append(all, row.quirk)
		t.Run(row.quirk, row.hold)
	}
	for _, q := range quirks.All() {
		require.Contains(t, all, string(q))
	}
	slices.Sort(all)
	require.Len(t, slices.Compact(all), len(quirks.All()))
}

func (row quirkRow) hold(t *testing.T) {
	t.Parallel()
	svc := &fakes.Service{Default: row.plan}
	if svc.Default.Duration == 0 {
		svc.Default.Duration = 30 * time.Second
	}
	svc.Quirk(quirks.Quirk(row.quirk), "")
	if row.exists {
		svc.Put(widget, map[string]any{"properties": map[string]int{"size": 0}})
	}
	opts := row.opts
	if row.life == nil {
		row.life = life
	}
	opts.Requests = requests(row.life...)
	if opts.Interval == 0 {
		opts.Interval = 5 * time.Second
	}
	var h http.Handler = svc
	if strings.HasPrefix(row.quirk, "W41/") && !strings.Contains(row.quirk, "provisioning") {
		h = &recorded{svc: svc}
	}
	r := check(t, h, &opts)
	require.Equal(t, strings.Fields(row.breaks), append([]string{}, r.Broken()...), strings.Join(findings(r), "\n"))
}

// Each ARM rule lists exactly the quirks that break it.
func TestQuirksOfRules(t *testing.T) {
	for _, r := range rules.For(rules.ARM) {
		var breaking []string
		for _, row := range quirkRows {
			if slices.Contains(strings.Fields(row.breaks), r.ID) {
				breaking = append(breaking, row.quirk)
			}
		}
		require.Equal(t, slices.Compact(breaking), r.Quirks, r.ID)
	}
}

// recorded plays back a transcript. It also answers reads of the resource, which are not in the
// transcript.
type recorded struct {
	svc   *fakes.Service
	state string
}

func (h *recorded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && r.URL.Path == widget && h.state != "" {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Ms-Request-Id", "recorded-"+time.Now().String())
		_, _ = w.Write([]byte(`{"id":"` + widget + `","name":"w1","type":"Microsoft.Contoso/widgets","properties":{"provisioningState":"` + h.state + `"}}`))
		return
	}
	answer := httptest.NewRecorder()
	h.svc.ServeHTTP(answer, r)
	if r.Method == http.MethodPut && answer.Code == http.StatusCreated {
		h.state = "Creating"
	}
	if r.Method == http.MethodDelete {
		h.state = ""
	}
	if h.state != "" && bytes.Contains(answer.Body.Bytes(), []byte(`"Failed"`)) {
		h.state = "Failed"
	}
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}
