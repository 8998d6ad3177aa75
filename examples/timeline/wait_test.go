package main

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// What the picture says of each pause is what the poller promises of it.
func TestPauses(t *testing.T) {
	w, err := readLog(bytes.NewReader(recording))
	require.NoError(t, err)
	var got []string
	for _, p := range w.pauses() {
		got = append(got, p.why)
	}
	require.Equal(t, []string{
		"30 s", "30 s", "1 min", "asked 2 s, waited 10 s", "1 min", "2 min", "back-off 20 s", "back-off 40 s", "back-off 1 min 20 s",
		"1 min as before", "1 min 30 s", "back-off 10 s",
	}, got)
	require.Equal(t, 2*time.Second, w.pauses()[3].asked)
	require.Equal(t, time.Minute, w.pauses()[9].asked)
}

// Where only the poller logs, nobody knows who asked.
func TestPausesOfAPlainLog(t *testing.T) {
	w, err := readLog(bytes.NewReader([]byte(logs["of the poller alone"])))
	require.NoError(t, err)
	require.Equal(t, []pause{
		{from: 0, to: time.Minute, why: "1 min"},
		{from: time.Minute, to: 2 * time.Minute, why: "1 min"},
	}, w.pauses())
	require.Equal(t, "Not ended after 2 min. 3 readings of the status, 1 of which told none.", w.summary())
}

// What was asked in a reading, where the log tells more, or less, than one request.
func TestExchanges(t *testing.T) {
	const refused, canceled = `,"method":"GET","url":"https://a.test/ops/1","status":503`, `,"method":"POST","url":"https://a.test/cancel","status":202`
	first := at(0, "lro: poll", running)
	for name, tt := range map[string]struct {
		log    string
		sent   int // seconds
		answer string
		err    string
	}{
		"attempts":          {at(10, "exchange", refused) + at(12, "exchange", answered) + at(12, "lro: poll", running), 10, "200", ""},
		"after a Cancel":    {at(5, "exchange", canceled) + at(12, "exchange", answered) + at(12, "lro: poll", running), 11, "200", ""},
		"of another line":   {at(12, "exchange", answered) + at(12, "other", "") + at(12, "lro: poll", running), 11, "200", ""},
		"the log ends":      {at(12, "exchange", answered), 11, "200, unread", "broken off"},
		"the wait ends":     {at(12, "exchange", answered) + at(12, "ended", ""), 11, "200, unread", "broken off"},
		"none was recorded": {at(12, "lro: poll", running+`,"error":"x"`), 12, "failed", "x"},
	} {
		w, err := readLog(strings.NewReader(first + tt.log))
		require.NoError(t, err)
		require.Len(t, w.readings, 2, name)
		got := w.last()
		require.Equal(t, time.Duration(tt.sent)*time.Second, got.sent, name)
		require.Equal(t, tt.answer, got.answer(), name)
		require.Equal(t, tt.err, got.err, name)
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
}

// The recorder tells nothing that may be secret.
func TestRecorderKeepsSecrets(t *testing.T) {
	var log bytes.Buffer
	for _, h := range []http.Handler{http.NotFoundHandler(), fakes.Drop()(nil)} {
		rec := &recorder{&fakes.Transport{Handler: h}, newLog(&log)}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://u:S3CRET@a.test/ops/1?sig=S3CRET#S3CRET", http.NoBody)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer S3CRET")
		if resp, err := rec.RoundTrip(req); err == nil {
			resp.Body.Close()
		}
	}
	require.Equal(t, 2, bytes.Count(log.Bytes(), []byte(`"url":"https://a.test/ops/1"`)))
	require.NotContains(t, log.String(), "S3CRET")
}
