package chaos

import (
	"net/http"
	"strings"
)

// A fault is one way in which a request goes wrong. It says what it has done.
type fault struct {
	do       func(x *asked) string
	may      func(x *asked) bool // hit this request; nil: any
	harmless bool                // the answer arrives whole, and the service is asked once
}

// faults are drawn from with equal chances. What no client can know is not among
// them; README.md tells it.
var faults = []fault{
	{do: resetBefore},
	{do: closedBefore},
	{do: resetAfter},
	{do: effectLost, may: begins},
	{do: cutInHeaders},
	{do: cutAfterHeaders},
	{do: cutInBody},
	{do: chunkedCut},
	{do: stalled},
	{do: notHTTP},
	{do: brokenChunks, may: reads},
	{do: brokenGzip},
	{do: refusal},
	{do: throttled},
	{do: htmlError},
	{do: htmlPage},
	{do: halfDocument},
	{do: otherJSON, may: asksMonitor},
	{do: publishedLate, may: asksEarly},
	{do: stale, may: asksAgain},
	{do: askedTwice},
	{do: answeredTwice, harmless: true},
	{do: delayed, harmless: true},
	{do: trickled, harmless: true},
	{do: informed, harmless: true},
	{do: lastOfConnection, harmless: true},
}

// oneIn is how many requests there are for one that goes wrong.
const oneIn = 3

// faultOf is what becomes of a request; nil: it is answered.
func faultOf(x *asked) (do func(x *asked) string, harmless bool) {
	if x.rand.IntN(oneIn) != 0 {
		return nil, true
	}
	f := pick(x.rand, faults)
	if f.may != nil && !f.may(x) {
		return nil, true
	}
	return f.do, f.harmless
}

// A 200 says that the request has been accepted.
func reads(x *asked) bool { return !x.begins }

func begins(x *asked) bool { return x.begins }

// A document of another form tells no status here, and is the result elsewhere.
func asksMonitor(x *asked) bool {
	path := strings.ToLower(x.r.URL.Path)
	return !x.begins && (strings.Contains(path, "/operationsstatuses/") || strings.Contains(path, "/hcpoperationstatuses/") || strings.Contains(path, "/operations/"))
}

// The deletion of what is not there has ended.
func asksEarly(x *asked) bool {
	return !x.begins && x.op.verb != http.MethodDelete && x.nth <= 4
}

func asksAgain(x *asked) bool {
	x.f.mu.Lock()
	defer x.f.mu.Unlock()
	return x.life.shown[x.r.URL.String()].code != 0
}
