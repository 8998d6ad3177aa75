package checker_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/checker"
	"github.com/lro-go/lro/cmd/lro/checker/rules"
)

// A script maps a method and path to the responses to successive requests. A response is a status
// code, optionally followed by a space and a body. The last response repeats.
type script map[string][]string

// A scripted service responds according to its script and records the requests. All scripted
// responses have the same headers. A request that is not in the script gets a 404.
type scripted struct {
	script script
	header http.Header
	sent   []string // each request as METHOD HOST/PATH
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := r.Method + " " + r.URL.Path
	n := 0
	for _, line := range s.sent {
		if line == r.Method+" "+r.Host+r.URL.Path {
			n++
		}
	}
	s.sent = append(s.sent, r.Method+" "+r.Host+r.URL.Path)
	answers := s.script[key]
	if len(answers) == 0 {
		http.NotFound(w, r)
		return
	}
	code, body, _ := strings.Cut(answers[min(n, len(answers)-1)], " ")
	maps.Copy(w.Header(), s.header)
	status := 0
	_, _ = fmt.Sscan(code, &status)
	w.WriteHeader(status)
	_, _ = fmt.Fprint(w, body)
}

// count returns how many of the recorded requests start with prefix.
func (s *scripted) count(prefix string) (n int) {
	for _, line := range s.sent {
		if strings.HasPrefix(line, prefix) {
			n++
		}
	}
	return n
}

const (
	succeeded = `{"properties":{"provisioningState":"Succeeded"}}`
	running   = `{"status":"InProgress"}`
)

// The check deletes only what it has created, and reports everything else that may still exist.
func TestCleanUpOfOthers(t *testing.T) {
	put := requests("PUT " + widget + " {}")
	link := http.Header{"Azure-Asyncoperation": {origin + "/operations/1" + version}}
	url := origin + widget + version
	for name, test := range map[string]struct {
		script   script
		header   http.Header
		requests []checker.Request
		deletes  int
		left     []string
	}{
		"a replica was behind before an update": {
			script: script{"GET " + widget: {"404", "404", "200 " + succeeded}, "PUT " + widget: {"200 " + succeeded}, "DELETE " + widget: {"204"}},
			left:   []string{url},
		},
		"the second reader finds the resource": {
			script: script{"GET " + widget: {"404", "200 " + succeeded}, "PUT " + widget: {"201 " + succeeded}, "DELETE " + widget: {"204"}},
		},
		"a 504 took effect": {
			script:  script{"GET " + widget: {"404", "404", "200 " + succeeded, "404"}, "PUT " + widget: {"504"}, "DELETE " + widget: {"204"}},
			deletes: 1,
		},
		"a 504 took no effect": {
			script: script{"GET " + widget: {"404"}, "PUT " + widget: {"504"}},
		},
		"a 503 took effect": {
			script:  script{"GET " + widget: {"404", "404", "200 " + succeeded, "404"}, "PUT " + widget: {"503", "409"}, "DELETE " + widget: {"204"}},
			deletes: 1,
		},
		"the creation stays hidden": {
			script: script{"GET " + widget: {"404"}, "PUT " + widget: {"201 {}"}, "GET /operations/1": {"200 " + running}, "DELETE " + widget: {"204"}},
			header: link,
			left:   []string{url},
		},
		"a DELETE finds nothing before the creation has ended": {
			script:  script{"GET " + widget: {"404", "404", "200 " + succeeded}, "PUT " + widget: {"201 {}"}, "GET /operations/1": {"200 " + running}, "DELETE " + widget: {"404", "204"}},
			header:  link,
			deletes: 2,
			left:    []string{url},
		},
		"a deletion says that it has succeeded": {
			script:   script{"GET " + widget: {"404", "404", "200 " + succeeded}, "PUT " + widget: {"201 " + succeeded}, "DELETE " + widget: {"204"}},
			requests: requests("PUT "+widget+" {}", "DELETE "+widget),
			deletes:  3, // one in the input, one after the end of the operation, and one in the cleanup
			left:     []string{url},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scripted{script: test.script, header: test.header}
			sent := test.requests
			if sent == nil {
				sent = put
			}
			r := check(t, s, &checker.Options{Requests: sent, Timeout: time.Minute, Patience: time.Minute})
			require.Equal(t, test.left, r.Left)
			require.Equal(t, test.deletes, s.count("DELETE"), s.sent)
		})
	}
}

// The check reports a creation that does not end, even if the URL of the resource is unknown.
func TestNotDeletedAfterPost(t *testing.T) {
	monitor := `{"href":"https://a.test/operations/1","status":"in_progress"%s}`
	for target, left := range map[string]string{
		"":                                   "POST " + origin + "/widgets" + version + " (the URL of the resource is unknown)",
		`,"resource":{"href":"/widgets/w1"}`: origin + "/widgets/w1",
	} {
		s := &scripted{
			script: script{"POST /widgets": {"202 " + fmt.Sprintf(monitor, "")}, "GET /operations/1": {"200 " + fmt.Sprintf(monitor, target)}},
			header: http.Header{"Location": {"/operations/1"}},
		}
		r := check(t, s, &checker.Options{Spec: rules.IBMOperation, Requests: requests("POST /widgets {}"), Timeout: time.Minute, Patience: time.Minute})
		require.Equal(t, []string{left}, r.Left)
		require.Zero(t, s.count("DELETE"))
	}
}

// The check sends requests only to the origins in the input and the options, even if the service
// returns URLs with other origins.
func TestForeignOrigins(t *testing.T) {
	for spec, answer := range map[string]string{
		rules.IBMResource:  `202 {"href":"https://evil.test/widgets/w1","status":"pending"}`,
		rules.IBMOperation: `202 {"href":"https://a.test/operations/1","status":"succeeded","resource":{"href":"http://a.test/widgets/w1"}}`,
		rules.ARM:          `202`,
	} {
		s := &scripted{
			script: script{"POST /widgets": {answer}, "GET /operations/1": {answer}},
			header: http.Header{"Azure-Asyncoperation": {"https://evil.test/operations/1"}},
		}
		s.script["GET /operations/1"] = []string{strings.Replace(answer, "202", "200", 1)}
		check(t, s, &checker.Options{Spec: spec, Requests: requests("POST /widgets {}"), Timeout: time.Minute, Patience: time.Minute})
		require.Equal(t, len(s.sent), s.count("POST a.test/widgets")+s.count("GET a.test/operations/1"), s.sent)
	}
}

// If a body is too large to record completely, its exchange contains an error.
func TestLargeBody(t *testing.T) {
	t.Parallel()
	s := &scripted{script: script{"GET /widgets": {"200 " + strings.Repeat(" ", 8<<20) + "[]"}}}
	r := check(t, s, &checker.Options{Requests: requests("GET /widgets")})
	require.ErrorContains(t, r.Operations[0].Exchanges[0].Err, "the body has more than 8388608 bytes")
}
