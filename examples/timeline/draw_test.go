package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// at is a line of a log, so many seconds after its beginning.
func at(seconds int, msg, attrs string) string {
	when := time.Date(2026, 1, 1, 0, 0, seconds, 0, time.UTC).Format(time.RFC3339)
	return fmt.Sprintf("{\"time\":%q,\"msg\":%q%s}\n", when, msg, attrs)
}

const (
	running  = `,"state":"InProgress","word":"Running","status":200`
	answered = `,"method":"GET","url":"https://a.test/ops/1","took":1000000000,"status":200`
)

// logs are such as other programs write.
var logs = map[string]string{
	"of one line":          at(0, "lro: poll", running),
	"of the poller alone":  at(0, "lro: poll", running) + at(60, "lro: poll", running) + at(120, "lro: poll", running+`,"error":"x"`),
	"that ends in a read":  at(0, "lro: poll", running) + at(60, "exchange", answered),
	"of a refused wait":    at(1, "exchange", answered) + at(1, "lro: poll", running+`,"error":"x"`) + at(1, "ended", `,"error":"refused"`),
	"with a hostile word":  at(0, "lro: poll", `,"word":"</text><script>&\u0007\ud800","state":"\"><x>"`) + at(9, "lro: poll", running),
	"with a hostile error": at(0, "lro: poll", running) + at(9, "lro: poll", running+`,"error":"]]></title>\u0000"`),
	"with other lines":     "panic: no\n" + at(0, "lro: poll", running) + at(5, "served", `,"status":"fine"`) + "{",
	"of many readings":     many(500),
	"of a clock set back":  at(60, "lro: poll", running) + at(0, "lro: poll", running) + at(90, "lro: poll", running),
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(at(i*10, "exchange", answered) + at(i*10, "lro: poll", running))
	}
	return b.String()
}

// Whatever is in a log, the picture is well-formed, has no element but ours, and
// no coordinate that is not a number.
func TestPicturesAreWellFormed(t *testing.T) {
	logs := logs
	logs["that lies beside this file"] = string(recording)
	ours := strings.Fields("svg style defs pattern rect g title text line circle path")
	for name, log := range logs {
		drawn := picture(t, log, "-")
		d := xml.NewDecoder(bytes.NewReader(drawn))
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
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
		require.Less(t, len(drawn), 400_000, name)
	}
}

// Labels stay within the picture's height, however many there are.
func TestCrowdedLabelsAreLeftOut(t *testing.T) {
	few, crowded := string(picture(t, many(10), "-")), string(picture(t, many(500), "-"))
	require.Equal(t, 10, strings.Count(few, ">200</text>"))
	require.Less(t, strings.Count(crowded, ">200</text>"), 200)
	require.Equal(t, 500, strings.Count(crowded, "status, at "), "the tips tell all")
}

func TestSpans(t *testing.T) {
	w, err := readLog(bytes.NewReader(recording))
	require.NoError(t, err)
	const s = time.Second
	require.Equal(t, []span{
		{0, 60 * s, "Accepted", 0},
		{60 * s, 202 * s, "Allocating", 0},
		{202 * s, 462 * s, "Allocating", 4},
		{462 * s, 612 * s, "Configuring", 0},
	}, w.spans())
}

func TestShelf(t *testing.T) {
	var s shelf
	for _, tt := range []struct {
		x, width float64
		want     int
	}{{0, 50, 0}, {55, 10, 1}, {56, 10, 0}, {61, 10, 2}, {100, 10, 0}} {
		require.Equal(t, tt.want, s.place(tt.x, tt.width), "%v", tt)
	}
}
