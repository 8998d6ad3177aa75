package poller_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// watchMachine uses Watch to wait until a machine is running. It reads the machine every 10 s, and
// each read may last for up to a minute. It gives up once at least 5 reads in a row have failed
// over a period of at least 5 min. Three reads in a row must agree that the machine is running,
// broken or gone.
func watchMachine(ctx context.Context, get func(context.Context) (*machine, error)) (*machine, error) {
	judge := poller.Words(func(m *machine) string { return m.Word }, map[string]poller.State{
		"Running": poller.Succeeded,
		"Broken":  poller.Failed,
	}).WithReason(func(m *machine) error { return errors.New(m.Code) })
	return poller.Watch(get, judge, &poller.WatchOptions{
		Name:       "machine",
		Cadence:    poller.Cadence{Default: 10 * time.Second, Max: 10 * time.Second},
		Patience:   poller.Patience{Time: 5 * time.Minute},
		Times:      3,
		NotFoundIs: poller.Failed,
	}).PollUntilDone(ctx)
}

// byHand waits for a machine in the same way as watchMachine, but without Watch.
type byHand struct {
	get      func(context.Context) (*machine, error)
	interval time.Duration // the pause between reads
	timeout  time.Duration // the time limit for one read
	patience time.Duration // byHand gives up only after reads have failed for this long
	failures int           // byHand gives up only after this many failed reads in a row
	times    int           // how many reads in a row must show the same ending

	failed  int       // how many reads in a row have failed
	failing time.Time // when the first of these reads started
	row     string    // the word that the latest reads returned
	agreed  int       // how many reads in a row have returned this word
}

var (
	errMachineGone       = errors.New("the machine is gone")
	errMachineRefused    = errors.New("the machine may not be read")
	errMachineUnreadable = errors.New("the machine could not be read for too long")
)

// A brokenError reports that a machine is broken, and why.
type brokenError struct{ code string }

func (e *brokenError) Error() string { return "the machine is broken: " + e.code }

func (b *byHand) wait(ctx context.Context) (*machine, error) {
	for {
		began := time.Now()
		m, err := b.read(ctx)
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, ctx.Err()
		case isMissing(m, err):
			m, err = nil, nil
		case err != nil && isRefused(err):
			return nil, errors.Join(errMachineRefused, err)
		}
		if err != nil {
			if b.isTooMuch(began) {
				return nil, errors.Join(errMachineUnreadable, err)
			}
		} else {
			b.failed = 0
			if b.hasEnded(m) {
				return b.ending(m)
			}
		}
		if err := b.pause(ctx); err != nil {
			return nil, err
		}
	}
}

// read reads the machine once, within the timeout.
func (b *byHand) read(ctx context.Context) (*machine, error) {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	return b.get(ctx)
}

// isTooMuch counts a failed read and reports whether to give up.
func (b *byHand) isTooMuch(began time.Time) bool {
	if b.failed == 0 {
		b.failing = began
	}
	b.failed++
	return b.failed >= b.failures && time.Since(b.failing) >= b.patience
}

// hasEnded counts a successful read and reports whether enough reads agree on an ending.
func (b *byHand) hasEnded(m *machine) bool {
	word := "gone"
	if m != nil {
		word = m.Word
	}
	if word != b.row {
		b.row, b.agreed = word, 0
	}
	b.agreed++
	switch word {
	case "gone", "Running", "Broken":
		return b.agreed >= b.times
	}
	return false
}

func (b *byHand) ending(m *machine) (*machine, error) {
	switch b.row {
	case "gone":
		return nil, errMachineGone
	case "Broken":
		return nil, &brokenError{m.Code}
	}
	return m, nil
}

// pause waits until the next read is due. If the deadline comes first, it returns an error right
// away.
func (b *byHand) pause(ctx context.Context) error {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= b.interval {
		return context.DeadlineExceeded
	}
	timer := time.NewTimer(b.interval)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func isMissing(m *machine, err error) bool {
	var c coded
	return err == nil && m == nil || errors.As(err, &c) && (c == http.StatusNotFound || c == http.StatusGone)
}

func isRefused(err error) bool {
	var c coded
	return errors.As(err, &c) && c >= 400 && c < 500 && c != http.StatusRequestTimeout && c != http.StatusTooManyRequests
}

// outcomeOf describes the outcome of byHand or watchMachine in one word.
func outcomeOf(t *testing.T, m *machine, err error) string {
	t.Helper()
	var broken *brokenError
	var failed *lroerrors.OperationError
	var wait *lroerrors.WaitError
	switch {
	case err == nil:
		return m.Word
	case errors.Is(err, errMachineUnreadable), errors.As(err, &wait) && wait.Reason == lroerrors.ReasonPatience:
		return "unreadable"
	case errors.Is(err, context.DeadlineExceeded):
		return "deadline"
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, errMachineGone), errors.As(err, &failed) && errors.Is(err, lroerrors.ErrNotFound):
		return "gone"
	case errors.As(err, &broken):
		return broken.code
	case failed != nil:
		return failed.Err.Error()
	}
	require.True(t, errors.Is(err, errMachineRefused) || wait != nil && wait.Reason == lroerrors.ReasonRefused, "%v", err)
	return "refused"
}

// errHangs makes a test's getter hang until its context ends.
var errHangs = errors.New("hangs")

// byHand and watchMachine make the same reads at the same times, with the same outcome.
func TestWatchMatchesHandWrittenPoller(t *testing.T) {
	const s = time.Second
	running, missing, broken := is("Running"), fails(coded(404)), getting{v: &machine{Word: "Broken", Code: "SkuNotAvailable"}}
	until := func(pause, last time.Duration) (list []time.Duration) {
		for at := time.Duration(0); at <= last; at += pause {
			list = append(list, at)
		}
		return list
	}
	for name, tt := range map[string]struct {
		readings []getting
		limit    time.Duration // if positive, the caller's deadline; if negative, the caller cancels the context after -limit
		at       []time.Duration
		ends     time.Duration
		outcome  string
	}{
		"three in a row":           {[]getting{running}, 0, until(10*s, 20*s), 20 * s, "Running"},
		"after a while":            {append(times(5, is("Creating")), running), 0, until(10*s, 70*s), 70 * s, "Running"},
		"two replicas":             {[]getting{running, running, is("Creating"), running, broken, running}, 0, until(10*s, 70*s), 70 * s, "Running"},
		"a failed read in the row": {[]getting{running, fails(coded(500)), running, fails(errNoIdea), running}, 0, until(10*s, 40*s), 40 * s, "Running"},
		"broken":                   {[]getting{is("Creating"), broken}, 0, until(10*s, 30*s), 30 * s, "SkuNotAvailable"},
		"gone":                     {[]getting{is("Creating"), missing}, 0, until(10*s, 30*s), 30 * s, "gone"},
		"gone, 410 and nil":        {[]getting{is("Creating"), fails(coded(410)), missing, {}}, 0, until(10*s, 30*s), 30 * s, "gone"},
		"gone for a moment":        {[]getting{running, running, missing, missing, running}, 0, until(10*s, 60*s), 60 * s, "Running"},
		"transient errors":         {append(times(20, fails(coded(503))), running), 0, until(10*s, 220*s), 220 * s, "Running"},
		"unreadable":               {[]getting{fails(errNoIdea)}, 0, until(10*s, 300*s), 300 * s, "unreadable"},
		"unreadable, again": {
			append(append(times(30, fails(coded(500))), is("Creating")), fails(coded(500))), 0, until(10*s, 610*s), 610 * s, "unreadable",
		},
		"refused":               {[]getting{running, running, fails(coded(403))}, 0, until(10*s, 20*s), 20 * s, "refused"},
		"hangs":                 {[]getting{fails(errHangs)}, 0, until(70*s, 280*s), 340 * s, "unreadable"},
		"hangs once":            {[]getting{fails(errHangs), running}, 0, []time.Duration{0, 70 * s, 80 * s, 90 * s}, 90 * s, "Running"},
		"the caller's deadline": {[]getting{is("Creating")}, 65 * s, until(10*s, 60*s), 60 * s, "deadline"},
		"a deadline in a read":  {[]getting{is("Creating"), fails(errHangs)}, 35 * s, until(10*s, 10*s), 35 * s, "deadline"},
		"canceled":              {[]getting{is("Creating")}, -25 * s, until(10*s, 20*s), 25 * s, "canceled"},
		"canceled in a read":    {[]getting{fails(errHangs)}, -25 * s, until(10*s, 0), 25 * s, "canceled"},
	} {
		for by, wait := range map[string]func(context.Context, func(context.Context) (*machine, error)) (*machine, error){
			"by hand": func(ctx context.Context, get func(context.Context) (*machine, error)) (*machine, error) {
				b := byHand{get: get, interval: 10 * s, timeout: time.Minute, patience: 5 * time.Minute, failures: 5, times: 3}
				return b.wait(ctx)
			},
			"with Watch": watchMachine,
		} {
			t.Run(name+", "+by, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					ctx, cancel := context.WithCancel(t.Context())
					switch {
					case tt.limit > 0:
						ctx, cancel = context.WithTimeout(t.Context(), tt.limit)
					case tt.limit < 0:
						time.AfterFunc(-tt.limit, cancel)
					}
					defer cancel()
					g := gets(tt.readings...)
					m, err := wait(ctx, func(ctx context.Context) (*machine, error) {
						m, err := g.get(ctx)
						if err == errHangs { //nolint:errorlint // the getter does not wrap it
							<-ctx.Done()
							return nil, ctx.Err()
						}
						return m, err
					})
					require.Equal(t, tt.outcome, outcomeOf(t, m, err))
					require.Equal(t, tt.at, g.at)
					require.Equal(t, tt.ends, time.Since(g.began))
				})
			})
		}
	}
}

// byHand needs at least a hundred lines, and watchMachine at most 25.
func TestLinesOfHandWrittenPoller(t *testing.T) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "watch_byhand_test.go", nil, 0)
	require.NoError(t, err)
	byHand, withWatch, ours := 0, 0, false
	for _, decl := range file.Decls {
		lines := set.Position(decl.End()).Line - set.Position(decl.Pos()).Line + 1
		name := ""
		if f, ok := decl.(*ast.FuncDecl); ok {
			name = f.Name.Name
		} else if d := decl.(*ast.GenDecl); d.Tok == token.TYPE {
			name = d.Specs[0].(*ast.TypeSpec).Name.Name
		}
		if name == "outcomeOf" {
			break
		}
		if ours = ours || name == "byHand"; ours {
			byHand += lines
		} else if name == "watchMachine" {
			withWatch = lines
		}
	}
	t.Log("by hand:", byHand, "with Watch:", withWatch)
	require.GreaterOrEqual(t, byHand, 100)
	require.LessOrEqual(t, withWatch, 25)
}
