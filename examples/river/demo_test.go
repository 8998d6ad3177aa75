package main

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// If the leader of two worker processes is killed, no operation is lost and none ends twice.
func TestLeaderKilled(t *testing.T) {
	var out bytes.Buffer
	cfg := config{URL: newDatabase(t), Pause: time.Second, Duration: 3 * time.Second, Timeout: 6 * time.Second}
	require.NoError(t, demo(t.Context(), cfg, 2000, &out))
	require.Contains(t, out.String(), "Two worker processes start 2000 operations")
	require.Regexp(t, `killed the leader, worker w\d`, out.String())
	require.Contains(t, out.String(), "1980 operations succeeded and 20 failed, as the service decided\n")
	require.Contains(t, out.String(), "lost: 0, ended twice: 0\n")
}

// The demonstration fails if an operation was lost or ended twice.
func TestReport(t *testing.T) {
	r := newRig(t, quick(), nil)
	var out bytes.Buffer
	d := &demonstration{n: 2, w: &out, pool: r.pool}
	exec := func(sql string) {
		_, err := r.pool.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	r.insert(t, FollowArgs{Operation: "a"}, FollowArgs{Operation: "b"})
	for i, operation := range []string{"a", "b"} {
		require.Error(t, d.report(t.Context()))
		require.Contains(t, out.String(), fmt.Sprintf("lost: %d, ended twice: 0\n", 2-i))
		exec("INSERT INTO operation_end (operation, state, error) VALUES ('" + operation + "', 'Succeeded', '')")
	}
	require.NoError(t, d.report(t.Context()))
	r.insert(t, FollowArgs{Operation: "b"})
	require.Error(t, d.report(t.Context()))
	require.Contains(t, out.String(), "lost: 0, ended twice: 1\n")
}

func TestCommandRejectsWrongArguments(t *testing.T) {
	t.Setenv("DATABASE_URL", "")
	require.ErrorContains(t, command(t.Context(), nil, 1, nil), "./run")
	require.ErrorContains(t, command(t.Context(), []string{"x"}, 1, nil), `"x"`)
	require.ErrorContains(t, command(t.Context(), nil, 0, nil), "-n must be")
	t.Setenv("DATABASE_URL", "postgres://me:SECRET@%zz/")
	err := command(t.Context(), nil, 1, &bytes.Buffer{})
	require.Error(t, err)
	require.NotContains(t, err.Error(), "SECRET")
}
