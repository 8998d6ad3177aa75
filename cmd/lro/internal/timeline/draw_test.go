package timeline

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// record returns a Recorder that has recorded a resumed operation and n status reads, ten seconds
// apart. It must be called in a synctest bubble.
func record(t *testing.T, n int, status poller.Status) *Recorder {
	t.Helper()
	r := NewRecorder(&fakes.Transport{Handler: http.NotFoundHandler()})
	r.Status(status)
	for range n {
		time.Sleep(10 * time.Second)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://a.test/op", http.NoBody)
		require.NoError(t, err)
		resp, err := r.RoundTrip(req)
		require.NoError(t, err)
		resp.Body.Close()
		r.Status(status)
	}
	r.End(nil)
	return r
}

// The picture is well-formed XML and contains only elements that the package itself draws, even if
// the service sends hostile words.
func TestPictureIsWellFormed(t *testing.T) {
	ours := strings.Fields("svg style defs pattern rect g title text line circle path")
	for name, status := range map[string]poller.Status{
		"plain":         {State: poller.InProgress, Word: "Running"},
		"hostile word":  {State: "\"><x>", Word: "</text><script>&\a\xff"},
		"hostile error": {State: poller.InProgress, ReadErr: errors.New("]]></title>\x00")},
		"no status":     {},
	} {
		for _, n := range []int{0, 1, 500} {
			synctest.Test(t, func(t *testing.T) {
				svg := draw(t, record(t, n, status))
				require.Less(t, len(svg), 400_000, name)
				d := xml.NewDecoder(strings.NewReader(svg))
				for {
					token, err := d.Token()
					if errors.Is(err, io.EOF) {
						return
					}
					require.NoError(t, err, name)
					if e, ok := token.(xml.StartElement); ok {
						require.Contains(t, ours, e.Name.Local, name)
						for _, a := range e.Attr {
							require.NotContains(t, a.Value, "NaN", name)
							require.NotContains(t, a.Value, "Inf", name)
						}
					}
				}
			})
		}
	}
}

// Even with thousands of readings, the picture has at most a few hundred marks, and labels only
// where there is room. Tooltips count the readings that have no mark of their own.
func TestManyMarks(t *testing.T) {
	running := poller.Status{State: poller.InProgress, Word: "Running"}
	for n, want := range map[int]struct{ labels, marks int }{10: {10, 10}, 500: {112, 167}, 20_000: {127, 220}} {
		synctest.Test(t, func(t *testing.T) {
			svg := draw(t, record(t, n, running))
			require.Equal(t, want.labels, strings.Count(svg, ">404</text>"))
			require.Equal(t, want.marks, strings.Count(svg, "status, at "))
			shown := want.marks
			for _, m := range regexp.MustCompile(`and (\d+) more until `).FindAllStringSubmatch(svg, -1) {
				more, err := strconv.Atoi(m[1])
				require.NoError(t, err)
				shown += more
			}
			require.Equal(t, n, shown)
			require.Less(t, len(svg), 250_000)
		})
	}
}

// Among thousands of reads, the picture still shows the only failed read and the end of the
// operation.
func TestClusters(t *testing.T) {
	const n = 20_000
	c := &chart{wait: &wait{end: n * time.Minute}, length: n * time.Minute}
	minute := time.Minute
	for i := range n {
		at := time.Duration(i) * time.Minute
		r := reading{kind: poll, from: at, at: at, attempts: 1, code: 200, state: "InProgress", word: fmt.Sprint("Word", i%2), asked: &minute}
		if i == 7_001 {
			r.err = "reset"
		}
		c.readings = append(c.readings, r)
	}
	end := reading{kind: poll, from: c.end, at: c.end, attempts: 1, code: 200, state: "Succeeded"}
	c.readings = append(c.readings, end)
	clusters, failed := c.clusters(), 0
	for _, r := range clusters {
		if r.err != "" {
			failed++
		}
	}
	require.Equal(t, 1, failed)
	require.Equal(t, end, clusters[len(clusters)-1].reading)
	require.InDelta(t, 220, len(clusters), 5)

	pauses := c.longPauses()
	require.InDelta(t, 220, len(pauses), 5)
	require.Equal(t, pause{to: 90 * time.Minute, asked: 90 * time.Minute, why: "90 pauses"}, pauses[0])

	c.body, c.grid = group(""), group("")
	require.Len(t, c.spans(), n)
	c.operation()
	require.InDelta(t, 220, len(c.body.Kids), 5)
}

// The picture omits a pause that started in an earlier process, because its reason is unknown.
func TestResumedPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := record(t, 2, poller.Status{State: poller.InProgress})
		require.Equal(t, "GET /op", r.wait.name)
		require.Equal(t, []pause{{from: 10 * time.Second, to: 20 * time.Second, why: "10 s, not asked"}}, r.wait.pauses())
	})
}

// If a request took several attempts, its label says how many. The legend explains the bar that
// shows how long they took.
func TestRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRecorder(&fakes.Transport{Handler: http.NotFoundHandler()})
		for range 3 {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://a.test/op", http.NoBody)
			require.NoError(t, err)
			resp, err := r.RoundTrip(req)
			require.NoError(t, err)
			resp.Body.Close()
			time.Sleep(2 * time.Second)
		}
		r.Status(poller.Status{State: poller.InProgress})
		r.End(nil)
		svg := draw(t, r)
		require.Contains(t, svg, ">GET 404, 3 attempts</text>")
		require.Contains(t, svg, ">wait for a response</text>")
	})
}

// A reading's duration covers all attempts of one request, but no earlier request, such as a
// cancellation.
func TestAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRecorder(&fakes.Transport{Handler: http.NotFoundHandler()})
		for _, path := range []string{"/cancel", "/op", "/op"} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://a.test"+path, http.NoBody)
			require.NoError(t, err)
			resp, err := r.RoundTrip(req)
			require.NoError(t, err)
			resp.Body.Close()
			time.Sleep(2 * time.Second)
		}
		r.Status(poller.Status{State: poller.InProgress})
		got := r.wait.last()
		require.Equal(t, []any{2, 2 * time.Second, 6 * time.Second}, []any{got.attempts, got.from, got.at})
		require.Contains(t, got.tip(), "404, after 4 s, 2 attempts")
	})
}

func TestRowLayout(t *testing.T) {
	var s rowLayout
	for _, tt := range []struct {
		x, width float64
		want     int
	}{{0, 50, 0}, {55, 10, 1}, {56, 10, 0}, {61, 10, 2}, {100, 10, 0}} {
		require.Equal(t, tt.want, s.place(tt.x, tt.width), "%v", tt)
	}
}

func TestTicks(t *testing.T) {
	for _, tt := range []struct {
		length time.Duration
		count  int
		second string
	}{
		{time.Millisecond, 2, "1 ms"},
		{6 * time.Second, 13, "500 ms"},
		{10 * time.Minute, 11, "1 min"},
		{72 * time.Hour, 13, "6 h"},
		{60 * day, 9, "7 d"},
		{3650 * day, 13, "304 d"},
	} {
		got := ticks(tt.length)
		require.Len(t, got, tt.count, "%v", tt.length)
		require.Equal(t, tt.second, human(got[1]), "%v", tt.length)
	}
}

func TestHuman(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0", 1500 * time.Microsecond: "2 ms", 1500 * time.Millisecond: "1.5 s", 2 * time.Second: "2 s", 12345 * time.Millisecond: "12 s",
		time.Minute: "1 min", 622 * time.Second: "10 min 22 s", 23*time.Hour + 30*time.Minute: "23 h 30 min", 72 * time.Hour: "3 d",
		25 * time.Hour: "1 d 1 h",
	} {
		require.Equal(t, want, human(d))
	}
}

func TestShorten(t *testing.T) {
	require.Equal(t, "GET /ö", shorten("GET /ö", 6))
	require.Equal(t, "012…89", shorten("0123456789", 6))
	require.Equal(t, fmt.Sprint(len([]rune(shorten(strings.Repeat("x", 500), 110)))), "110")
}
