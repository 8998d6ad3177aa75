package chaos

import (
	"net/http"
	"strings"
)

// A fault is one way in which a request can fail. Its do function makes the request fail and
// describes how.
type fault struct {
	do       func(x *asked) string
	may      func(x *asked) bool // whether it can hit a request; nil: it can hit any
	harmless bool                // the response arrives complete, and the service sees one request
}

// faults lists the faults, which are all equally likely. README.md lists the faults that are left
// out because no client can detect them.
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

// One request in oneIn has a fault.
const oneIn = 3

// faultOf picks the fault of a request; nil means none.
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

// reads excludes requests that start an operation, because a false 200 would mean that the service
// had accepted the operation.
func reads(x *asked) bool { return !x.begins }

func begins(x *asked) bool { return x.begins }

// asksMonitor reports whether a request reads a status document, in which JSON of another form is
// not a status. It excludes reads whose body is by contract the result.
func asksMonitor(x *asked) bool {
	path := strings.ToLower(x.r.URL.Path)
	return !x.begins && (strings.Contains(path, "/operationsstatuses/") || strings.Contains(path, "/hcpoperationstatuses/") || strings.Contains(path, "/operations/"))
}

// asksEarly excludes deletions, because a deletion has ended once the resource is not found.
func asksEarly(x *asked) bool {
	return !x.begins && x.op.verb != http.MethodDelete && x.nth <= 4
}

func asksAgain(x *asked) bool {
	x.f.mu.Lock()
	defer x.f.mu.Unlock()
	return x.life.shown[x.r.URL.String()].code != 0
}
