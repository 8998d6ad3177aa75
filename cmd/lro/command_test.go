package main

import (
	"context"
	"net/http"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

const widget = `{"properties":{"size":1}}`

func TestPut(t *testing.T) {
	r := newRig(t, &fakes.Service{Default: fakes.Plan{Polls: 1, Percent: true}})
	require.NoError(t, os.WriteFile("body.json", []byte(widget), 0o600))
	for _, data := range []string{widget, "@body.json", "@-"} {
		r.stdin = widget
		got := r.run(t.Context(), "put", "/widgets/w1?v=1", "-d", data, "--header", "X-Team: blue")
		require.Equal(t, exitOK, got.code, got)
		require.JSONEq(t, `{"result":{"id":"/widgets/w1","name":"w1","type":"widgets","properties":{"provisioningState":"Succeeded","size":1}}}`, got.out)
		require.Equal(t, []string{"Accepted", "Accepted", "Succeeded"}, got.words(t))
	}
	for _, req := range r.Requests() {
		require.Equal(t, "blue", req.Header.Get("X-Team"), req.URL)
	}
	require.Equal(t, "application/json", r.Requests()[0].Header.Get("Content-Type"))
	require.JSONEq(t, widget, string(r.Requests()[0].Body))
}

func TestPutAsText(t *testing.T) {
	r := newRig(t, &fakes.Service{Default: fakes.Plan{Polls: 1, Percent: true}})
	got := r.run(t.Context(), "put", "/widgets/w1", "-d", widget, "-o", "text")
	require.Equal(t, "{\n  \"id\": \"/widgets/w1\",\n  \"name\": \"w1\",\n  \"properties\": {\n    \"provisioningState\": \"Succeeded\",\n    \"size\": 1\n  },\n  \"type\": \"widgets\"\n}\n", got.out)
	pause := regexp.MustCompile(`, (next read in .*|reading)`)
	require.Equal(t, "InProgress \"Accepted\"\nInProgress \"Accepted\" 50%\nSucceeded 100%\n", pause.ReplaceAllString(got.err, ""))

	got = r.run(t.Context(), "put", "/widgets/w1", "-d", widget, "-o", "text", "--quiet")
	require.Empty(t, got.err)
}

func TestOtherVerbs(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	r.Put("/widgets/w1", map[string]any{"properties": map[string]int{"size": 1}})
	r.Plan(fakes.Plan{Method: http.MethodPost, Result: map[string]string{"key": "k"}})

	got := r.run(t.Context(), "patch", "/widgets/w1", "-d", `{"properties":{"size":2}}`)
	require.Equal(t, exitOK, got.code, got)
	require.Contains(t, got.out, `"size":2`)
	got = r.run(t.Context(), "post", "/widgets/w1/listKeys")
	require.Equal(t, ended{exitOK, "{\"result\":{\"key\":\"k\"}}\n", got.err}, got)
	got = r.run(t.Context(), "delete", "/widgets/w1")
	require.Equal(t, ended{exitOK, "{\"result\":null}\n", got.err}, got)
	_, there := r.Resource("/widgets/w1")
	require.False(t, there)
}

func TestExitCodes(t *testing.T) {
	const path = "/widgets/w1"
	for name, tt := range map[string]struct {
		want  int
		rig   func(*rig)
		flags []string
	}{
		"failed":       {exitFailed, func(r *rig) { r.Default.Ending = fakes.Failed }, nil},
		"canceled":     {exitCanceled, func(r *rig) { r.Default.Ending = fakes.Canceled }, nil},
		"no result":    {exitResult, func(r *rig) { r.Fault(fakes.Fault{Kind: fakes.Read, Do: fakes.Status(400)}) }, nil},
		"stopped":      {exitStopped, func(r *rig) { r.Default = fakes.Plan{Duration: fakes.Forever, RetryAfter: time.Minute} }, []string{"--timeout=1s"}},
		"refused":      {exitRefused, func(r *rig) { r.Fault(fakes.Fault{Kind: fakes.Begin, Do: fakes.Status(403)}) }, nil},
		"status lost":  {exitLost, func(r *rig) { r.Fault(fakes.Fault{Kind: fakes.Poll, Do: fakes.Status(403)}) }, nil},
		"no patience":  {exitLost, func(r *rig) { r.Fault(fakes.Fault{Kind: fakes.Poll, Do: fakes.HTML(200)}) }, []string{"--patience=0", "--timeout=5s"}},
		"unfollowable": {exitLost, func(r *rig) { r.foreign() }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, &fakes.Service{})
			tt.rig(r)
			got := r.run(t.Context(), "put", path, append(tt.flags, "-d", widget)...)
			require.Equal(t, tt.want, got.code, got)
			f := got.failure(t)
			require.Equal(t, tt.want, f.Exit)
			// After 4, 5 and 7 there is a token to go on with, else there is not.
			require.Equal(t, tt.want == exitResult || tt.want == exitStopped || tt.want == exitLost, f.TokenFile != "", f)
			require.NotContains(t, got.err, `"error"`, "it is told once")
		})
	}
}

// foreign lets the service name a status URL at another origin.
func (r *rig) foreign() {
	r.Fault(fakes.Fault{Kind: fakes.Begin, Do: fakes.Header("Azure-AsyncOperation", "https://other.test/op?sig=SECRET")})
}

func TestUsage(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	require.NoError(t, os.WriteFile("there", []byte("x"), 0o600))
	for _, tt := range []struct {
		want string
		args []string
	}{
		{"no verb", []string{"frobnicate"}},
		{"one URL is wanted", []string{"put"}},
		{"one URL is wanted", []string{"get", "https://a.test", "https://b.test"}},
		{"flag provided but not defined: -x", []string{"get", "https://a.test", "-x"}},
		{"flag provided but not defined: -d", []string{"get", "https://a.test", "-d", "{}"}},
		{"not \\\"xml\\\"", []string{"get", "https://a.test", "-o=xml"}},
		{"less than 0", []string{"get", "https://a.test", "--min=-1s"}},
		{"is not http or https", []string{"get", "widgets/w1"}},
		{"no such strategy", []string{"watch", "https://a.test", "--strategy", "aws"}},
		{"takes no words", []string{"watch", "https://a.test", "--strategy", "location:done"}},
		{"arm chooses by the response", []string{"watch", "https://a.test", "--strategy", "arm"}},
		{"every process on this machine can read", []string{"get", "https://a.test", "--header", "authorization: Bearer SECRET"}},
		{"'Name: value'", []string{"get", "https://a.test", "--header", "x"}},
		{"the body is not JSON", []string{"put", "https://a.test", "-d", "{"}},
		{"no such file", []string{"put", "https://a.test", "-d", "@absent.json"}},
		{"no such file", []string{"resume", "absent"}},
		{"bad resume token", []string{"resume", "there", "--origin", "https://a.test"}},
		{"is there already, and may have the token", []string{"put", "https://a.test", "--token-file=there"}},
		{"is there already, and may have the token", []string{"get", "https://a.test", "--token-file=there"}},
		{"is there already, and may have the token", []string{"resume", "absent", "--token-file=there"}},
		{"a request is 'METHOD URL'", []string{"cancel", "there", "--with", "DELETE"}},
		{"JSON pointer", []string{"get", "https://a.test", "--items", "value"}},
	} {
		got := r.exec(t.Context(), tt.args...)
		require.Equal(t, exitUsage, got.code, "%q: %+v", tt.args, got)
		require.Contains(t, got.out+got.err, tt.want, "%q", tt.args)
		require.NotContains(t, got.out+got.err, "SECRET", "%q", tt.args)
	}
	require.Empty(t, r.Requests())
}

// An answer that is under way when Ctrl-C comes is waited for: it alone says how
// to go on.
func TestInterruptedWhileBeginning(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	r := newRig(t, &fakes.Service{})
	r.Fault(fakes.Fault{Kind: fakes.Begin, Do: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			interrupt()
			next.ServeHTTP(w, req)
		})
	}})
	got := r.run(ctx, "put", "/widgets/w1", "-d", widget)
	require.Equal(t, exitStopped, got.code, got)
	require.FileExists(t, got.failure(t).TokenFile)

	got = r.run(ctx, "put", "/widgets/w2", "-d", widget)
	require.Equal(t, exitStopped, got.code, got)
	require.Empty(t, got.failure(t).TokenFile)
	require.Len(t, r.Requests(), 1, "what is interrupted before is not sent")
}
