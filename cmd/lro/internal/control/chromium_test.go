package control_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// browsers lists the programs to look for, in order of preference.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "chrome"}

// A tab is a page in headless Chromium, driven over --remote-debugging-pipe. A zero byte ends each
// message.
type tab struct {
	t       *testing.T
	to      io.Writer
	session string

	mu      sync.Mutex
	sent    int
	waiting map[int]chan message
	seen    []string // the URLs that the page has requested
	ended   chan struct{}
}

type message struct {
	ID     int
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct{ Message string }
}

// openTab starts a browser and opens a page in it. If no browser is installed, it skips the test,
// or fails it if LRO_BROWSER is set.
func openTab(t *testing.T) *tab {
	t.Helper()
	i := slices.IndexFunc(browsers, func(name string) bool { _, err := exec.LookPath(name); return err == nil })
	if i < 0 {
		require.Empty(t, os.Getenv("LRO_BROWSER"), "there is no browser; run cmd/lro/internal/control/install")
		t.Skip("needs chromium; cmd/lro/internal/control/install installs it")
	}
	read, to, err := os.Pipe()
	require.NoError(t, err)
	from, write, err := os.Pipe()
	require.NoError(t, err)
	profile, err := os.MkdirTemp("", "lro-browser-") //nolint:usetesting // t.TempDir fails if a process of the browser still writes to it
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), browsers[i], "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run", "--user-data-dir="+profile, "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{read, write} // the browser's file descriptors 3 and 4
	require.NoError(t, cmd.Start())
	read.Close()
	write.Close()

	c := &tab{t: t, to: to, waiting: map[int]chan message{}, ended: make(chan struct{})}
	go c.receive(from)
	t.Cleanup(func() {
		c.call("Browser.close", nil, nil)
		_ = cmd.Wait()
		<-c.ended
		_ = os.RemoveAll(profile)
	})

	var target struct{ TargetID string }
	c.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var session struct{ SessionID string }
	c.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	c.session = session.SessionID
	c.call("Page.enable", nil, nil)
	c.call("Network.enable", nil, nil)
	return c
}

func (c *tab) receive(from io.Reader) {
	defer close(c.ended)
	for r := bufio.NewReader(from); ; {
		text, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		c.mu.Lock()
		if m.Method == "Network.requestWillBeSent" {
			var params struct{ Request struct{ URL string } }
			_ = json.Unmarshal(m.Params, &params)
			c.seen = append(c.seen, params.Request.URL)
		}
		if answer := c.waiting[m.ID]; answer != nil {
			delete(c.waiting, m.ID)
			answer <- m
		}
		c.mu.Unlock()
	}
}

// call invokes a DevTools protocol method and decodes the response into *result, unless result is
// nil.
func (c *tab) call(method string, params, result any) {
	c.t.Helper()
	answer := make(chan message, 1)
	c.mu.Lock()
	c.sent++
	id := c.sent
	c.waiting[id] = answer
	c.mu.Unlock()
	text, err := json.Marshal(map[string]any{"id": id, "method": method, "params": params, "sessionId": c.session})
	require.NoError(c.t, err)
	_, err = c.to.Write(append(text, 0))
	require.NoError(c.t, err)
	select {
	case m := <-answer:
		require.Nil(c.t, m.Error, "%s: %v", method, m.Error)
		if result != nil {
			require.NoError(c.t, json.Unmarshal(m.Result, result))
		}
	case <-c.ended:
	case <-time.After(time.Minute):
		require.Fail(c.t, "the browser did not answer "+method)
	}
}

func (c *tab) open(url string) { c.call("Page.navigate", map[string]any{"url": url}, nil) }

// eval evaluates a JavaScript expression, formatted as with fmt.Sprintf, and returns its value as
// decoded from JSON.
func (c *tab) eval(format string, args ...any) any {
	c.t.Helper()
	var out struct {
		Result           struct{ Value any }
		ExceptionDetails *struct{ Exception struct{ Description string } }
	}
	c.call("Runtime.evaluate", map[string]any{"expression": fmt.Sprintf(format, args...), "awaitPromise": true, "returnByValue": true}, &out)
	require.Nil(c.t, out.ExceptionDetails, "%s: %v", format, out.ExceptionDetails)
	return out.Result.Value
}

// until waits for an expression in the page to become true, and fails the test after 20 s.
func (c *tab) until(format string, args ...any) {
	c.t.Helper()
	require.Equal(c.t, true, c.eval(`new Promise((resolve) => {
		const start = Date.now();
		const look = () => {
			let now = false;
			try { now = !!(`+format+`); } catch {}
			if (now || Date.now() - start > 20000) { resolve(now); } else { requestAnimationFrame(look); }
		};
		look();
	})`, args...), format, args, "the page shows: %v", c.eval("document.body.innerText"))
}

// click sends a mouse click to the center of the element that an expression returns.
func (c *tab) click(expression string) {
	c.t.Helper()
	c.until("%s", expression)
	place := c.eval("(() => { const e = %s; e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()", expression).([]any)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		c.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1}, nil)
	}
}

// fill types text into the element with the given ID.
func (c *tab) fill(id, text string) {
	c.t.Helper()
	c.eval("document.getElementById(%q).focus()", id)
	c.call("Input.insertText", map[string]any{"text": text}, nil)
}

// requested returns the URLs that the page has requested.
func (c *tab) requested() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.seen)
}
