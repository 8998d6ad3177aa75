package supply_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert/yaml" // this parser comes with testify, so that go.mod needs no other module for YAML
	"github.com/stretchr/testify/require"
)

// A workflow is the part of .github/workflows/ci.yml that the tests check.
type workflow struct {
	On struct {
		Schedule []struct{ Cron string }
		Push     struct{ Branches []string }
	}
	Permissions map[string]string
	Concurrency struct{ Group string }
	Jobs        map[string]job
}

type job struct {
	TimeoutMinutes int `yaml:"timeout-minutes"`
	Permissions    any
	Strategy       struct {
		Matrix struct{ Go []string }
	}
	Steps []struct {
		Uses, Run string
		With      map[string]any
	}
}

const workflowFile = ".github/workflows/ci.yml"

func readWorkflow(t *testing.T) workflow {
	t.Helper()
	var w workflow
	require.NoError(t, yaml.Unmarshal([]byte(read(t, workflowFile)), &w))
	return w
}

var goLine = regexp.MustCompile(`(?m)^go 1\.(\d+)`)

// The gate runs with the Go release in go.mod and with the next one.
func TestGateGoVersions(t *testing.T) {
	match := goLine.FindStringSubmatch(read(t, "go.mod"))
	require.NotNil(t, match, "go.mod has a go line")
	var minor int
	_, err := fmt.Sscan(match[1], &minor)
	require.NoError(t, err)
	want := []string{fmt.Sprintf("1.%d", minor), fmt.Sprintf("1.%d", minor+1)}

	w := readWorkflow(t)
	require.Equal(t, want, w.Jobs["gate"].Strategy.Matrix.Go)
	require.Contains(t, runs(w.Jobs["gate"]), "bash .ci/run")
	for _, job := range []string{"vulnerabilities", "fuzz"} {
		require.Equal(t, want[1], goVersion(w.Jobs[job]), "the newest")
	}
	for _, v := range want {
		require.Contains(t, read(t, "SECURITY.md"), "Go "+v)
	}
	require.Contains(t, read(t, "README.md"), "Go "+want[0]+" or later")
}

// New vulnerabilities become known even when nothing is committed, so a weekly run queries the
// vulnerability database.
func TestWeeklyScan(t *testing.T) {
	w := readWorkflow(t)
	require.Len(t, w.On.Schedule, 1)
	require.Regexp(t, `^\d+ \d+ \* \* \d$`, w.On.Schedule[0].Cron, "weekly")
	require.Equal(t, []string{"main"}, w.On.Push.Branches)
	require.Contains(t, runs(w.Jobs["vulnerabilities"]), "govulncheck@v")
}

var pinned = regexp.MustCompile(`^actions/[a-z-]+@[0-9a-f]{40}$`)

// Anyone who could change what the workflow runs, or read its secrets, could attack the
// module.
func TestWorkflowPermissions(t *testing.T) {
	w := readWorkflow(t)
	require.Equal(t, map[string]string{"contents": "read"}, w.Permissions)
	require.NotEmpty(t, w.Concurrency.Group)
	text := read(t, workflowFile)
	require.NotContains(t, text, "secrets.", "no job needs one")
	require.NotContains(t, text, "pull_request_target", "it would run a stranger's code with our rights")
	require.NotContains(t, text, "workflow_run", "it would run with our rights after a stranger's code")
	require.Len(t, w.Jobs, 3)
	for name, j := range w.Jobs {
		require.Nil(t, j.Permissions, "%s: no more than the rest", name)
		require.NotZero(t, j.TimeoutMinutes, name)
		require.NotEmpty(t, j.Steps, name)
		for _, s := range j.Steps {
			require.NotContains(t, s.Run, "${{", "%s: text of strangers would be run", name)
			if s.Uses == "" {
				continue
			}
			require.Regexp(t, pinned, s.Uses, "an action of GitHub's own, by its commit")
			if strings.HasPrefix(s.Uses, "actions/checkout@") {
				require.Equal(t, false, s.With["persist-credentials"], name)
			}
		}
	}
}

// runs returns the commands that a job runs.
func runs(j job) string {
	var all []string
	for _, s := range j.Steps {
		all = append(all, s.Run)
	}
	return strings.Join(all, "\n")
}

func goVersion(j job) any {
	for _, s := range j.Steps {
		if v, ok := s.With["go-version"]; ok {
			return v
		}
	}
	return nil
}
