package poller_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// A server is what a typed client's Get method returns.
type server struct{ State, Reason string }

// servers is a typed client that returns each state in turn, then repeats the last. "" means that
// the server does not exist.
type servers struct{ states []string }

func (c *servers) Get(context.Context, string) (*server, error) {
	state := c.states[0]
	if len(c.states) > 1 {
		c.states = c.states[1:]
	}
	if state == "" {
		return nil, fmt.Errorf("s1: %w", lroerrors.ErrNotFound)
	}
	return &server{State: state, Reason: "no host has room"}, nil
}

func stateOfServer(s *server) string { return s.State }

// inProcess is a Cadence for services in the same process, with pauses of 1 ms, 2 ms, 4 ms and so
// on. Use seconds for a real service.
var inProcess = poller.Cadence{First: time.Millisecond}

// This client returns the state of a server as a word. The map says which words end the watch, and
// in which state. After any other word, such as Booting, the watch continues.
func ExampleWatch() {
	client := &servers{states: []string{"Creating", "Booting", "Running"}}

	get := func(ctx context.Context) (*server, error) { return client.Get(ctx, "s1") }
	p := poller.Watch(get, poller.Words(stateOfServer, map[string]poller.State{
		"Running": poller.Succeeded,
		"Error":   poller.Failed,
	}), &poller.WatchOptions{Name: "s1", Cadence: inProcess})
	for status, err := range p.Updates(context.Background()) {
		fmt.Println(status, err)
	}
	s, err := p.PollUntilDone(context.Background())
	fmt.Println(s.State, err)
	// Output:
	// InProgress <nil>
	// InProgress "Creating" <nil>
	// InProgress "Booting" <nil>
	// Succeeded "Running" <nil>
	// Running <nil>
}

// With Gone as its judge, a Watch waits for a deletion to finish, that is, until the client returns
// a nil pointer or an error that matches ErrNotFound, such as a 404 or 410.
func ExampleGone() {
	client := &servers{states: []string{"Running", "Deleting", ""}}

	get := func(ctx context.Context) (*server, error) { return client.Get(ctx, "s1") }
	p := poller.Watch(get, poller.Gone, &poller.WatchOptions{Name: "s1", Cadence: inProcess})
	_, err := p.PollUntilDone(context.Background())
	fmt.Println(p.Status(), err)
	// Output: Succeeded <nil>
}

// A service with several replicas may report the new state and then the old one again. Times sets
// how many reads in a row must agree.
func ExampleWatch_threeInARow() {
	client := &servers{states: []string{"Running", "Creating", "Running", "Running", "Running"}}
	reads := 0

	get := func(ctx context.Context) (*server, error) { reads++; return client.Get(ctx, "s1") }
	p := poller.Watch(get, poller.Words(stateOfServer, map[string]poller.State{"Running": poller.Succeeded}), &poller.WatchOptions{
		Name:    "s1",
		Times:   3,
		Cadence: inProcess,
	})
	_, err := p.PollUntilDone(context.Background())
	fmt.Println(reads, err)
	// Output: 5 <nil>
}

// A job7 is the database row for job 7.
type job7 struct{ State string }

// queryJob stands in for db.QueryRowContext(ctx, `SELECT state …`, 7).Scan(&j.State).
func queryJob(ctx context.Context, db *servers) (*job7, error) {
	s, err := db.Get(ctx, "7")
	if err != nil {
		return nil, sql.ErrNoRows
	}
	return &job7{s.State}, nil
}

// This Watch reads a database row. If the row is missing, the getter returns a nil pointer instead
// of sql.ErrNoRows.
func ExampleWatch_row() {
	db := &servers{states: []string{"", "queued", "running", "done"}}

	get := func(ctx context.Context) (*job7, error) {
		j, err := queryJob(ctx, db)
		if errors.Is(err, sql.ErrNoRows) {
			return nil, nil
		}
		return j, err
	}
	p := poller.Watch(get, poller.Until(func(j *job7) bool { return j.State == "done" }), &poller.WatchOptions{
		Name: "job 7", NotFoundIs: poller.InProgress, Cadence: inProcess,
	})
	j, err := p.PollUntilDone(context.Background())
	fmt.Println(j.State, err)
	// Output: done <nil>
}

// WithReason adds a failure's reason, which becomes the Err of the OperationError.
func ExampleJudge_WithReason() {
	client := &servers{states: []string{"Creating", "Error"}}

	get := func(ctx context.Context) (*server, error) { return client.Get(ctx, "s1") }
	word := poller.Words(stateOfServer, map[string]poller.State{"Running": poller.Succeeded, "Error": poller.Failed})
	judge := word.WithReason(func(s *server) error { return errors.New(s.Reason) })
	p := poller.Watch(get, judge, &poller.WatchOptions{Name: "s1", Cadence: inProcess})
	_, err := p.PollUntilDone(context.Background())
	failed, ok := errors.AsType[*lroerrors.OperationError](err)
	if !ok {
		log.Fatal(err)
	}
	fmt.Println(err)
	fmt.Println(failed.Err)
	// Output:
	// lro: s1 Failed ("Error"): no host has room
	// no host has room
}

// A Judge receives no context. If it needs one to log or to call a client, write it as a closure
// that uses the context of the surrounding function.
func ExampleJudge() {
	client := &servers{states: []string{"Booting", "Degraded", "Running"}}
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime}))

	wait := func(ctx context.Context, name string) (*server, error) {
		classify := func(s *server, err error) (poller.Status, error) {
			if err != nil {
				return poller.Status{}, err
			}
			if s.State == "Degraded" {
				logger.WarnContext(ctx, "the server has lost a disk", "server", name)
			}
			state := poller.InProgress
			if s.State == "Running" {
				state = poller.Succeeded
			}
			return poller.Status{State: state, Word: s.State}, nil
		}
		get := func(ctx context.Context) (*server, error) { return client.Get(ctx, name) }
		return poller.Watch(get, classify, &poller.WatchOptions{Name: name, Cadence: inProcess}).PollUntilDone(ctx)
	}
	s, err := wait(context.Background(), "s1")
	fmt.Println(s.State, err)
	// Output:
	// level=WARN msg="the server has lost a disk" server=s1
	// Running <nil>
}

// withoutTime removes a record's time, so that the output is always the same.
func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}
