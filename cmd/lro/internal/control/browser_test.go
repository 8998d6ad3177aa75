package control_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/serve/servetest"
)

// start starts lro serve with a control interface.
func start(t *testing.T, args ...string) *servetest.Server {
	t.Helper()
	s := servetest.Start(t, append([]string{"--control=127.0.0.1:0", "--retry-after=0s"}, args...)...)
	s.Welcome()
	return s
}

// do sends a request without a browser, and returns the status code and body of the response.
func do(t *testing.T, method, url, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(text)
}

func operationID(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

// row returns a JavaScript expression for the nth operation's row on the page.
func row(n int) string {
	return fmt.Sprintf("document.querySelector('#operations tr[data-key=\"%s\"]')", operationID(n))
}

// button returns a JavaScript expression for a button with the given text. The first parameter is
// an expression for the element that contains the button.
func button(within, text string) string {
	return fmt.Sprintf("[...%s.querySelectorAll('button')].find((b) => b.textContent === %q)", within, text)
}

// The page shows operations and requests as they arrive, and its buttons send commands to the
// control interface.
func TestBrowserPage(t *testing.T) {
	c := openTab(t)
	s := start(t, "--duration=1h")
	c.open(s.Control)
	c.until("document.getElementById('connection').textContent === 'live'")
	c.until("document.getElementById('service').textContent === %q", s.URL)

	// A request and the operation that it starts appear without a reload.
	poll := func(n int) (int, string) { return do(t, "GET", s.URL+"/operationsStatuses/"+operationID(n), "") }
	for n := range 3 {
		do(t, "PUT", fmt.Sprintf("%s/widgets/w%d?x=1", s.URL, n+1), "{}")
	}
	c.until("%s.innerText.includes('PUT /widgets/w1') && %s.innerText.includes('Accepted')", row(1), row(1))
	c.until("document.querySelector('#requests tr').innerText.match(/3\\s+PUT \\/widgets\\/w3\\?x=1\\s+201\\s+begin:3\\s+Accepted/)")

	for n, word := range []string{"Succeed", "Fail", "Cancel"} {
		c.click(button(row(n+1), word))
		ending := []string{"Succeeded", "Failed", "Canceled"}[n]
		c.until("%s.innerText.includes(%q)", row(n+1), ending)
		_, body := poll(n + 1)
		require.Contains(t, body, `"status":"`+ending+`"`)
	}

	// An operation's bar has a mark for each request, here for the PUT and a poll.
	c.until("%s.querySelectorAll('.bar.Failed').length === 1 && %s.querySelectorAll('.mark').length === 2", row(2), row(2))

	c.click(button(row(1), "Expire"))
	c.until("%s === null", row(1))
	code, _ := poll(1)
	require.Equal(t, 404, code)

	// The page shows why a fault is invalid. A valid fault applies until the user removes it.
	c.fill("fault", "poll:1:explode")
	c.click("document.querySelector('#add button')")
	c.until(`document.getElementById('problem').textContent.startsWith('fault poll:1:explode: "explode" is not an action')`)
	c.eval("document.getElementById('fault').value = ''")
	c.fill("fault", "503")
	c.fill("path", "/widgets/w2")
	c.click("document.querySelector('#add button')")
	c.until("document.getElementById('faults').innerText.includes('503 on /widgets/w2')")
	code, _ = poll(2)
	require.Equal(t, 503, code)
	code, _ = poll(3)
	require.Equal(t, 200, code, "the fault must not hit requests for another path")
	c.until("document.getElementById('requests').innerText.includes('fault 503')")
	c.click(button("document.getElementById('faults')", "Remove"))
	c.until("document.querySelectorAll('#faults li').length === 0")
	code, _ = poll(2)
	require.Equal(t, 200, code)

	c.click("document.getElementById('reset')")
	c.until("document.querySelectorAll('tbody tr').length === 0")
	require.Contains(t, c.eval("document.body.innerText"), "No operations yet.")
	code, _ = poll(2)
	require.Equal(t, 404, code)
	c.until("document.querySelectorAll('#requests tr').length === 1")

	for _, url := range c.requested() {
		require.True(t, strings.HasPrefix(url, s.Control+"/") || url == s.Control || strings.HasPrefix(url, "data:"), url)
	}
}

// When the duration of an operation has passed, the page shows that the operation has ended, even
// if no request arrives.
func TestBrowserSeesTime(t *testing.T) {
	c := openTab(t)
	s := start(t, "--duration=1s")
	c.open(s.Control)
	do(t, "PUT", s.URL+"/widgets/w1", "{}")
	c.until("%s.innerText.includes('Succeeded')", row(1))
	code, text := do(t, "GET", s.Control+"/requests", "")
	require.Equal(t, 200, code)
	require.Equal(t, 1, strings.Count(text, `"n":`))
}

// The page never interprets text from a client as HTML.
func TestBrowserShowsHostileText(t *testing.T) {
	const attack = `<img src=x onerror="window.attacked=1"><script>window.attacked=2</script>`
	c := openTab(t)
	s := start(t)
	c.open(s.Control)
	c.until("document.getElementById('connection').textContent === 'live'")
	path := "/widgets/%3Cimg%20src=x%20onerror=%22window.attacked=3%22%3E"
	do(t, "PUT", s.URL+path+"?"+strings.NewReplacer(" ", "%20", `"`, "%22").Replace(attack), "{}")
	do(t, "POST", s.Control+"/operations/"+operationID(1)+"/fail", `{"code": `+fmt.Sprintf("%q", attack)+`, "message": "x"}`)
	do(t, "POST", s.Control+"/faults", `{"fault": "9:503", "path": `+fmt.Sprintf("%q", attack)+`}`)
	do(t, "GET", s.URL+"/operationsStatuses/"+operationID(1), "")

	c.until("%s.innerText.includes('<img src=x')", row(1))
	c.until("document.getElementById('faults').innerText.includes('<script>')")
	c.until("document.querySelectorAll('#requests tr').length === 2")
	require.Zero(t, c.eval("document.querySelectorAll('img, script:not([src]), [onerror]').length"))
	require.Nil(t, c.eval("window.attacked"))

	// Even if the page interpreted the text as HTML, its Content-Security-Policy would block the
	// scripts.
	c.eval("document.body.insertAdjacentHTML('beforeend', %q)", attack)
	c.eval("new Promise((resolve) => { document.querySelector('img').addEventListener('error', resolve); document.querySelector('img').src = '/none.png'; setTimeout(resolve, 1000); })")
	require.Nil(t, c.eval("window.attacked"))
}

// A page from another origin cannot send commands, read the journal, or show lro's page in a frame.
func TestBrowserRefusesOtherPages(t *testing.T) {
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!DOCTYPE html><body>foreign</body>")
	}))
	t.Cleanup(foreign.Close)
	c := openTab(t)
	s := start(t, "--duration=1h")
	do(t, "PUT", s.URL+"/widgets/w1", "{}")
	c.open(foreign.URL)
	c.until("document.body.innerText === 'foreign'")

	fail := s.Control + "/operations/" + operationID(1) + "/fail"
	for _, options := range []string{
		"{method: 'POST', mode: 'no-cors'}",
		"{method: 'POST', mode: 'no-cors', body: '{}', headers: {'Content-Type': 'text/plain'}}",
	} {
		c.eval("fetch(%q, %s).then(() => null, () => null)", fail, options)
		c.eval("fetch(%q, %s).then(() => null, () => null)", s.Control+"/reset", options)
	}
	require.Equal(t, "TypeError", c.eval("fetch(%q).then((r) => r.text(), (e) => e.name)", s.Control+"/requests"))
	require.Equal(t, "error", c.eval("new Promise((resolve) => { const e = new EventSource(%q); e.onmessage = e.onerror = ({type}) => resolve(type); })", s.Control+"/events"))

	// A form on the other page cannot send commands, and a frame there cannot show lro's page.
	c.eval(`new Promise((resolve) => {
		const frame = document.createElement('iframe');
		frame.name = 'frame';
		const form = document.createElement('form');
		form.method = 'POST';
		form.action = %q;
		form.target = 'frame';
		document.body.append(frame, form);
		frame.onload = resolve;
		form.submit();
	})`, fail)
	c.eval("new Promise((resolve) => { const frame = document.querySelector('iframe'); frame.onload = resolve; frame.src = %q; })", s.Control)

	_, text := do(t, "GET", s.Control+"/operations", "")
	require.Contains(t, text, `"status": "Accepted"`)
	lines, err := s.Stop()
	require.NoError(t, err)
	log := strings.Join(lines, "\n")
	require.Equal(t, 8, strings.Count(log, "403"), log)
	require.Equal(t, 8, strings.Count(log, "CrossSiteRequest"), log)
}
