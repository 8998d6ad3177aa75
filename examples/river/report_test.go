package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
)

// A cost holds the measurements from one run.
type cost struct {
	took                       time.Duration
	worker, service            int // peak memory of the largest worker and of the service, in MB
	wal                        int // how many MB PostgreSQL added to its write-ahead log
	connections                int // the largest number of connections open at the same time
	jobs                       int // rows in river_job at the end
	reruns                     int // how many jobs of the killed worker ran again on other workers
	journal                    journal
	ended, failed, lost, twice int // numbers of operations
}

// report compares the database with the service's journal and prints the outcome. It returns an
// error if an operation was lost, or started or ended twice.
func (l *load) report(ctx context.Context) error {
	journal, err := readJournal(ctx, l.cfg.Origin)
	if err != nil {
		return err
	}
	l.cost.journal = journal
	err = l.pool.QueryRow(ctx, "SELECT count(*), count(*) FILTER (WHERE metadata ? 'river:rescue_count') FROM river_job").Scan(
		&l.cost.jobs, &l.cost.reruns)
	if err != nil {
		return err
	}
	err = l.compare(ctx, journal.Starts)
	if err != nil {
		return err
	}
	l.printf("%d operations succeeded and %d failed, as the service decided", l.cost.ended-l.cost.failed, l.cost.failed)
	l.printf("other workers ran %d jobs of the killed one again, and the service recognized %d repeated requests", l.cost.reruns, journal.Repeated)
	l.printf("lost: %d, started or ended twice: %d", l.cost.lost, l.cost.twice)
	if l.cost.lost != 0 || l.cost.twice != 0 {
		return errors.New("an operation was lost, or started or ended twice")
	}
	return nil
}

func readJournal(ctx context.Context, origin string) (j journal, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+"/journal", http.NoBody)
	if err != nil {
		return j, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return j, err
	}
	defer resp.Body.Close()
	return j, json.NewDecoder(resp.Body).Decode(&j)
}

// compare counts lost and duplicate operations. A lost operation did not start, or did not end in
// the state that the service chose. A duplicate operation started or ended more than once. The map
// holds the number of starts for each widget.
func (l *load) compare(ctx context.Context, starts map[string]int) error {
	rows, err := l.pool.Query(ctx, "SELECT name, state FROM operation WHERE state IS NOT NULL")
	if err != nil {
		return err
	}
	ends := map[string]int{}
	var name, state string
	_, err = pgx.ForEachRow(rows, []any{&name, &state}, func() error {
		want := "Succeeded"
		if fails(name) {
			want = "Failed"
			l.cost.failed++
		}
		if state == want {
			ends[name]++
		}
		return nil
	})
	for i := range l.n {
		started, ended := starts[widget(i)], ends[widget(i)]
		if started == 0 || ended == 0 {
			l.cost.lost++
		}
		if started > 1 || ended > 1 {
			l.cost.twice++
		}
	}
	return err
}

func printTable(w io.Writer, costs []cost) {
	_, _ = fmt.Fprintf(w, "\n%10s %8s %9s %8s %9s %7s %7s %8s %8s %8s %12s %7s\n", "operations", "seconds", "requests",
		"refused", "repeated", "lost", "twice", "worker", "service", "WAL", "connections", "jobs")
	for _, c := range costs {
		j := c.journal
		_, _ = fmt.Fprintf(w, "%10d %8.0f %9d %8d %9d %7d %7d %5d MB %5d MB %5d MB %12d %7d\n", c.ended, c.took.Seconds(), j.Requests,
			j.Refused, j.Repeated, c.lost, c.twice, c.worker, c.service, c.wal, c.connections, c.jobs)
	}
}

// compare counts operations that were lost, started twice or ended twice.
func TestCompare(t *testing.T) {
	pool, err := pgxpool.New(t.Context(), newDatabase(t))
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	require.NoError(t, migrate(t.Context(), pool))
	_, err = pool.Exec(t.Context(), `INSERT INTO operation (id, name, token, state) VALUES
		(1, '/widgets/w000000', '', 'Succeeded'), (2, '/widgets/w000001', '', 'Succeeded'), (3, '/widgets/w000002', '', 'Succeeded'),
		(4, '/widgets/w000002', '', 'Succeeded'), (5, '/widgets/w000003', '', 'Failed'), (6, '/widgets/w000004', '', NULL)`)
	require.NoError(t, err)
	l := &load{n: 7, pool: pool}
	starts := map[string]int{widget(0): 1, widget(1): 2, widget(2): 1, widget(3): 1, widget(4): 1, widget(6): 1}
	require.NoError(t, l.compare(t.Context(), starts))
	require.Equal(t, 2, l.cost.twice, "1 started twice, and 2 ended twice")
	require.Equal(t, 4, l.cost.lost, "3 has the wrong end, 4 and 6 have not ended, and 5 is missing")
}
