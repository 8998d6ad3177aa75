package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

// A sample is how the operations are getting on.
type sample struct {
	at           time.Time
	begun, polls int64
	ended        int
}

// requests are all of those that the service has had, nearly.
func (s sample) requests() int64 { return s.begun + s.polls }

func (s sample) waiting() int64 { return s.begun - int64(s.ended) }

func (d *demonstration) sample(ctx context.Context) (sample, error) {
	s := sample{at: time.Now(), begun: d.service.begun.Load(), polls: d.service.polls.Load()}
	for _, c := range d.crews {
		c.memory()
	}
	err := d.pool.QueryRow(ctx, "SELECT count(*) FROM operation_end").Scan(&s.ended)
	d.most = max(d.most, s.waiting())
	return s, err
}

// say writes to whoever watches. One who has gone does not end the demonstration.
func (d *demonstration) say(format string, args ...any) { _, _ = fmt.Fprintf(d.w, format, args...) }

// show writes a line about the time since the last one.
func (d *demonstration) show(s, last sample) {
	rate := float64(s.polls-last.polls) / s.at.Sub(last.at).Seconds()
	d.peak = max(d.peak, rate)
	var crews strings.Builder
	for _, c := range d.crews {
		if c.alive() {
			fmt.Fprintf(&crews, "  %s %s", c.id, megabytes(c.memory()))
		}
	}
	d.say("%s  begun %s  waiting %s  ended %s  polls/s %.0f%s\n", clock(s.at.Sub(d.start)),
		number(s.begun), number(s.waiting()), number(s.ended), rate, crews.String())
}

// A tally is what the database and the service know at the end.
type tally struct {
	Ended, Succeeded, Failed int // operations
	Following                int // operations that have a job
	Jobs, Open, Twice        int // jobs that follow; those of any kind that have not ended; operations that ended by two
	Rescued, Snoozes         int // of the jobs
	Bytes                    uint64
}

func (d *demonstration) tally(ctx context.Context) (t tally, err error) {
	for _, q := range []struct {
		sql string
		to  []any
	}{
		{`SELECT count(*), count(*) FILTER (WHERE state = 'Succeeded' AND error = '' AND result IS NOT NULL),
			count(*) FILTER (WHERE state = 'Failed' AND error <> '') FROM operation_end`, []any{&t.Ended, &t.Succeeded, &t.Failed}},
		{`SELECT count(*), count(DISTINCT args->>'operation') FROM river_job WHERE kind = 'operation_follow'`, []any{&t.Jobs, &t.Following}},
		{`SELECT count(*) FROM river_job WHERE state <> 'completed'`, []any{&t.Open}},
		{`SELECT count(*) FROM (SELECT 1 FROM river_job WHERE kind = 'operation_follow' AND state = 'completed'
			GROUP BY args->>'operation' HAVING count(*) > 1) AS twice`, []any{&t.Twice}},
		{`SELECT count(*) FILTER (WHERE metadata ? 'river:rescue_count'), coalesce(sum((metadata->>'snoozes')::int), 0) FROM river_job`, []any{&t.Rescued, &t.Snoozes}},
		{`SELECT pg_database_size(current_database())`, []any{&t.Bytes}},
	} {
		if err := d.pool.QueryRow(ctx, q.sql).Scan(q.to...); err != nil {
			return t, err
		}
	}
	return t, nil
}

// report tells what came of it. Its error is that something is wrong.
func (d *demonstration) report(ctx context.Context, took time.Duration) error {
	t, err := d.tally(ctx)
	if err != nil {
		return err
	}
	n := d.cfg.operations
	polls := d.service.polls.Load()
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s operations in %s, up to %s at once: %s succeeded, %s failed, as the service decided.\n",
		number(n), clock(took), number(d.most), number(t.Succeeded), number(t.Failed))
	fmt.Fprintf(&b, "Lost: %d. Ended twice: %d.\n", n-t.Ended, t.Twice)
	fmt.Fprintf(&b, "%s jobs of the killed worker were taken up by the other. %d PUTs were sent again, and %d POSTs, which the service did not do again.\n",
		number(t.Rescued), d.service.again.Load(), d.service.repeated.Load())
	fmt.Fprintf(&b, "%s reads, %.0f a second, up to %.0f; the jobs were put off %s times.\n", number(polls), float64(polls)/took.Seconds(), d.peak, number(t.Snoozes))
	b.WriteString("Memory at most:")
	for _, c := range d.crews {
		fmt.Fprintf(&b, " worker %s %s,", c.id, megabytes(c.memory()))
	}
	fmt.Fprintf(&b, " the service, with its log, %s. The database has %s.\n\n", megabytes(peakMemory(os.Getpid())), megabytes(t.Bytes))
	d.say("%s", b.String())
	return t.wrong(n)
}

// wrong is what should not be, of n operations.
func (t tally) wrong(n int) error {
	failing := 0
	for i := range n {
		if fails(i) {
			failing++
		}
	}
	want := tally{
		Ended: n, Succeeded: n - failing, Failed: failing, Following: n, Jobs: n,
		Rescued: t.Rescued, Snoozes: t.Snoozes, Bytes: t.Bytes,
	}
	if t != want {
		return fmt.Errorf("this is wrong: %+v, it should be %+v", t, want)
	}
	return nil
}

// number groups the digits of n by thousands.
func number[N int | int64](n N) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func clock(d time.Duration) string {
	return fmt.Sprintf("%02d:%04.1f", int(d.Minutes()), (d % time.Minute).Seconds())
}

func megabytes(n uint64) string { return fmt.Sprintf("%d MB", n/1_000_000) }
