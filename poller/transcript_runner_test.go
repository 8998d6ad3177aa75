package poller_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const sample = `# A PUT.
# expect: result {"id":"w1"}
# elapsed: 2m

### 0s
PUT https://management.example.test/widgets/w1?a=1 HTTP/1.1
Accept-Language: de

{"size":1}

###
HTTP/1.1 201 Created
Azure-AsyncOperation: /operations/op1?a=1

### 1m
GET https://management.example.test/operations/op1?a=1 HTTP/1.1
Accept-Language: de

###
HTTP/1.1 200 OK

{"status":"Running"}

### 2m
GET https://management.example.test/operations/op1?a=1 HTTP/1.1

###
HTTP/1.1 200 OK

{"status":"Succeeded"}

### 2m
GET https://management.example.test/widgets/w1?a=1 HTTP/1.1

###
HTTP/1.1 200 OK

{"id": "w1"}
`

// The runner reports every kind of difference between a transcript and the poller's behavior.
func TestTranscriptRunnerDetectsMismatches(t *testing.T) {
	tests := []struct{ name, old, new, want string }{
		{"nothing", "", "", ""},
		{"a result", `{"id": "w1"}`, `{"id": "w2"}`, `result {"id":"w2"}, want`},
		{"no result", `expect: result {"id":"w1"}`, "expect: no result", "ended in"},
		{"a failure", "Succeeded", "Failed", "1 requests did not come"},
		{"a success", `expect: result {"id":"w1"}`, "expect: OperationError 200 Failed", "ended in"},
		{"the time", "elapsed: 2m", "elapsed: 2m1s", "ended after 2m0s, want 2m1s"},
		{"the time of a request", "### 1m", "### 59s", "59s GET https://management.example.test/operations/op1?a=1"},
		{"the pause", "HTTP/1.1 201 Created", "HTTP/1.1 201 Created\nRetry-After: 61", "ended after 2m2s, want 2m"},
		{"the path of a request", "operations/op1?a=1 HTTP", "operations/op2?a=1 HTTP", "got GET /operations/op1?a=1, want GET /operations/op2?a=1"},
		{"the query of a request", "operations/op1?a=1 HTTP", "operations/op1?a=2 HTTP", "want GET /operations/op1?a=2"},
		{"the host of a request", "GET https://management.", "GET https://other.", "got host management.example.test, want other.example.test"},
		{"the scheme of a request", "GET https:", "GET http:", "GET http://management.example.test"},
		{"the method of a request", "GET https://management.example.test/widgets", "POST https://management.example.test/widgets", "got GET /widgets/w1?a=1, want POST /widgets/w1?a=1"},
		{"a header of a request", "de\n\n###", "fr\n\n###", `got Accept-Language ["de"], want ["fr"]`},
		{"a request too many", "### 2m\nGET https://management.example.test/widgets/w1?a=1 HTTP/1.1\n\n###\nHTTP/1.1 200 OK\n\n" + `{"id": "w1"}`, "", "after the end of the transcript"},
		{"a request too few", "### 2m\nGET https://management.example.test/widgets", "### 2m\nGET https://management.example.test/operations/op1?a=1 HTTP/1.1\n\n###\nHTTP/1.1 200 OK\n\n{}\n\n### 2m\nGET https://management.example.test/widgets", "want GET /operations/op1?a=1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Contains(t, sample, tt.old)
			c, err := parseConversation([]byte(strings.Replace(sample, tt.old, tt.new, 1)))
			require.NoError(t, err)
			err = c.judge(c.run(t, (*stage).pollUntilDone))
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.want)
		})
	}
}

// resumeAndPoll and interruptAndResume really resume the operation, and pollUntilDone does not. The
// runner counts the resumes.
func TestTranscriptRunnerResumes(t *testing.T) {
	c, err := parseConversation([]byte(sample))
	require.NoError(t, err)
	require.Zero(t, c.run(t, (*stage).pollUntilDone).resumed)
	require.Equal(t, 4, c.run(t, (*stage).resumeAndPoll).resumed, "resumeAndPoll must resume before each of two polls, after the last one, and to read the result")
	require.Equal(t, 2, c.run(t, (*stage).interruptAndResume).resumed, "interruptAndResume must resume after the first response and after the first poll")
}

func TestTranscriptRunnerReadsSettings(t *testing.T) {
	tests := []struct{ old, new, want string }{
		{"# expect: ", "# ", "expect and elapsed are required"},
		{"# elapsed: ", "# ", "expect and elapsed are required"},
		{"# elapsed: 2m", "# elapsed: 2", "elapsed: time: missing unit"},
		{"# A PUT.", "# orgins: https://b.test", "orgins: there is no such setting"},
		{"# A PUT.", "# strategy: telepathy", "strategy: there is no telepathy"},
		{"### 1m", "### soon", "request 2: when?"},
		{"### 1m", "###", "request 2: when?"},
	}
	for _, tt := range tests {
		_, err := parseConversation([]byte(strings.Replace(sample, tt.old, tt.new, 1)))
		require.ErrorContains(t, err, tt.want)
	}
}

// testdata has a conversation for each combination of a strategy, one of its methods and an ending.
func TestTranscriptsAreComplete(t *testing.T) {
	verbs := map[string][]string{
		"async":    {"put", "patch", "post", "delete"},
		"oploc":    {"put", "patch", "post", "delete"},
		"location": {"put", "patch", "post", "delete", "get"},
		"resource": {"put", "patch"},
	}
	for strategy, list := range verbs {
		for _, verb := range list {
			for _, ending := range []string{"succeeded", "failed", "canceled"} {
				require.FileExists(t, filepath.Join("testdata", strategy+"-"+verb+"-"+ending+".http"))
			}
		}
	}
}
