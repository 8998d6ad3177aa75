package chaos

import (
	"net/http"
	"strings"
)

// A fault is something that can go wrong with a request. The function do handles the request and
// returns the fault's name.
type fault struct {
	do       func(x *request) string
	may      func(x *request) bool // reports whether the fault can be applied to x; nil means always
	harmless bool                  // the client still gets a complete response, and the service gets the request exactly once
}

// faults lists the faults, which are equally likely. README.md lists the ones that are missing here
// because no client can detect them.
var faults = []fault{
	{do: resetBefore},
	{do: closedBefore},
	{do: resetAfter},
	{do: loseResponse, may: begins},
	{do: cutInHeaders},
	{do: cutAfterHeaders},
	{do: cutInBody},
	{do: chunkedCut},
	{do: stalled},
	{do: notHTTP},
	{do: brokenChunks, may: reads},
	{do: brokenGzip},
	{do: refusal},
	{do: throttled, may: maySlowDown},
	{do: htmlError},
	{do: htmlPage},
	{do: halfDocument},
	{do: otherJSON, may: readsStatus},
	{do: publishedLate, may: isEarlyRead},
	{do: stale, may: isRepeatedRead},
	{do: askedTwice},
	{do: answeredTwice, harmless: true},
	{do: delayed, harmless: true},
	{do: trickled, harmless: true},
	{do: sendInformational, harmless: true},
	{do: lastOfConnection, harmless: true},
}

// The front chooses a fault for 1/oneIn of the requests, on average. If the fault cannot be
// applied, the request gets none.
const oneIn = 3

// faultOf chooses a fault for the request. If the returned function is nil, the front handles the
// request without a fault.
func faultOf(x *request) (do func(x *request) string, harmless bool) {
	if x.rand.IntN(oneIn) != 0 {
		return nil, true
	}
	f := pick(x.rand, faults)
	if f.may != nil && !f.may(x) {
		return nil, true
	}
	return f.do, f.harmless
}

// The fault brokenChunks applies only to requests that read, because a 200 to any other request
// would mean that the service accepted an operation.
func reads(x *request) bool { return !x.begins }

func begins(x *request) bool { return x.begins }

// readsStatus reports whether the request reads a status document. The fault otherJSON applies only
// to such requests, because for others, any JSON may be a valid result.
func readsStatus(x *request) bool {
	path := strings.ToLower(x.r.URL.Path)
	return !x.begins && (strings.Contains(path, "/operationsstatuses/") || strings.Contains(path, "/hcpoperationstatuses/") || strings.Contains(path, "/operations/"))
}

// maySlowDown reports whether the fault throttled may answer the request with a 429. It excludes
// IBM Cloud requests from the client with a throttle gate, because one 429 would delay all IBM
// Cloud operations of that client.
func maySlowDown(x *request) bool {
	return x.op.family != cloud || !strings.HasPrefix(x.r.UserAgent(), gated)
}

// isEarlyRead reports whether publishedLate may answer the request with a 404. It excludes
// deletions, because a 404 ends them.
func isEarlyRead(x *request) bool {
	return !x.begins && x.op.verb != http.MethodDelete && x.nth <= 4
}

func isRepeatedRead(x *request) bool {
	x.f.mu.Lock()
	defer x.f.mu.Unlock()
	return x.life.shown[x.r.URL.String()].code != 0
}
