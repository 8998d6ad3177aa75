package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// A demonstration is what demo shows.
type demonstration struct {
	cfg     config
	w       io.Writer
	pool    *pgxpool.Pool
	url     string
	service *service
	crews   []*crew
	start   time.Time
	peak    float64 // polls a second
	most    int64   // operations that waited at once
}

// demo has two processes of workers follow all operations, kills one midway, and
// tells what came of it. The error says what should not have.
func demo(ctx context.Context, url string, cfg config, w io.Writer) error {
	pool, err := connect(ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close()
	if err := migrate(ctx, pool); err != nil {
		return err
	}
	svc := newService(cfg)
	origin, closed, err := listen(ctx, svc)
	if err != nil {
		return err
	}
	defer closed()
	cfg.origin = origin
	d := &demonstration{cfg: cfg, w: w, pool: pool, url: url, service: svc, start: time.Now()}
	if err := d.intend(ctx); err != nil {
		return err
	}
	defer func() { d.stopAll() }()
	return d.run(ctx)
}

// listen serves h on a free loopback port.
func listen(ctx context.Context, h http.Handler) (origin string, closed func(), err error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(ln) }() // until it is closed
	return "http://" + ln.Addr().String(), func() { server.Close() }, nil
}

// intend stores the intent of every operation, many at once by COPY. This client
// only inserts.
func (d *demonstration) intend(ctx context.Context) error {
	const many = 5_000
	client, err := river.NewClient(riverpgxv5.New(d.pool), &river.Config{})
	if err != nil {
		return err
	}
	start := time.Now()
	for from := 0; from < d.cfg.operations; from += many {
		var jobs []river.InsertManyParams
		for i := from; i < min(from+many, d.cfg.operations); i++ {
			jobs = append(jobs, river.InsertManyParams{Args: d.service.intent(d.cfg.origin, i)})
		}
		if _, err := client.InsertManyFast(ctx, jobs); err != nil {
			return err
		}
	}
	d.say("%s operations are intended, stored in %s.\n", number(d.cfg.operations), clock(time.Since(start)))
	return nil
}

// requestID makes the id of a request that may be sent again: a UUID of version 4
// (RFC 9562, section 5.4).
func requestID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// run starts the workers and watches until all operations have ended.
func (d *demonstration) run(ctx context.Context) error {
	for _, id := range []string{"w1", "w2"} {
		c, err := startCrew(ctx, d.url, d.cfg, id)
		if err != nil {
			return err
		}
		d.crews = append(d.crews, c)
	}
	d.start = time.Now()
	if err := d.watch(ctx); err != nil {
		return err
	}
	took := time.Since(d.start)
	d.stopAll()
	return d.report(ctx, took)
}

// watch shows how the operations are getting on until all have ended, and kills a
// process when a third have.
func (d *demonstration) watch(ctx context.Context) error {
	tick := time.NewTicker(min(time.Second, max(d.cfg.pause/4, 50*time.Millisecond)))
	defer tick.Stop()
	shown, moved, killed := sample{at: d.start}, sample{at: d.start}, false
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("stopped with %d of %d ended: %w", shown.ended, d.cfg.operations, ctx.Err())
		}
		s, err := d.sample(ctx)
		switch {
		case err != nil:
			return err
		case s.ended == d.cfg.operations && !killed:
			return errors.New("all operations had ended before a process could be killed; take more")
		case s.ended == d.cfg.operations:
			return nil
		case d.alive() == 0:
			return errors.New("all workers have ended")
		case s.requests() != moved.requests():
			moved = s
		case s.at.Sub(moved.at) > d.cfg.pause+2*time.Minute:
			return d.stalled(ctx)
		}
		if !killed && s.ended >= d.cfg.operations/3 {
			if err := d.killLeader(ctx); err != nil {
				return err
			}
			killed = true
		}
		if s.at.Sub(shown.at) >= 5*time.Second {
			d.show(s, shown)
			shown = s
		}
	}
}

// stalled says why nothing goes on.
func (d *demonstration) stalled(ctx context.Context) error {
	var n int
	var why string
	if err := d.pool.QueryRow(ctx, "SELECT count(*), coalesce(max(metadata->>'trouble'), '') FROM river_job WHERE state <> 'completed'").Scan(&n, &why); err != nil {
		return err
	}
	return fmt.Errorf("nothing is asked any more, and %d jobs are left; trouble: %q", n, why)
}

// killLeader kills one of the processes of workers, as a machine that fails does:
// the one that leads, which is the harder loss, as it schedules for the others.
func (d *demonstration) killLeader(ctx context.Context) error {
	var leader string
	err := d.pool.QueryRow(ctx, "SELECT leader_id FROM river_leader").Scan(&leader)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	victim, rank := d.crews[0], "" // nobody leads for some seconds after a leader was lost
	for _, c := range d.crews {
		if c.id == leader {
			victim, rank = c, ", the leader,"
		}
	}
	var running int
	if err := d.pool.QueryRow(ctx, "SELECT count(*) FROM river_job WHERE state = 'running' AND attempted_by[array_length(attempted_by, 1)] = $1",
		victim.id).Scan(&running); err != nil {
		return err
	}
	victim.kill()
	d.say("%s  Worker %s%s is killed (SIGKILL), with some %d jobs under way.\n", clock(time.Since(d.start)), victim.id, rank, running)
	return nil
}

func (d *demonstration) alive() (n int) {
	for _, c := range d.crews {
		if c.alive() {
			n++
		}
	}
	return n
}

func (d *demonstration) stopAll() {
	for _, c := range d.crews {
		c.stop()
	}
}
