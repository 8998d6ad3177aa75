package ibmcloud

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/lro-go/lro/poller/strategy"
)

// succeeded returns a Move that ends the operation as Succeeded with the given result.
func succeeded(r strategy.Result) strategy.Move {
	return strategy.Move{Status: strategy.Status{State: strategy.Succeeded}, Result: r}
}

// synchronous treats the first response as the result. It returns an error if the status in the
// body shows that the resource is still changing, or if the body seems to come from a gateway.
func (o Operation) synchronous(a strategy.Answer) (strategy.Move, error) {
	word := fold(a.Text(o.status()))
	_, isTerminal := a.Words[word]
	if !isTerminal && isTransitional(word) {
		return strategy.Move{}, fmt.Errorf("%w: the resource is %q, so it reports its own status and needs a resource.Strategy", strategy.ErrNotApplicable, word)
	}
	if isForeign(a) {
		return strategy.Move{}, strategy.ErrNotJSON
	}

	hasNoBody := len(bytes.TrimSpace(a.Body)) == 0
	if a.Method == http.MethodDelete || hasNoBody {
		return succeeded(strategy.Result{}), nil
	}
	return succeeded(strategy.Result{Body: a.Body}), nil
}

// isTransitional reports whether the word is the status of a resource that is still changing.
func isTransitional(word string) bool {
	switch word {
	case "accepted", "creating", "deleting", "deploying", "in progress", "pending", "provisioning", "queued", "starting", "updating":
		return true
	}
	return false
}

// isForeign reports whether a response seems to be from a gateway: an HTML page, or a body that
// should be JSON but is not.
func isForeign(a strategy.Answer) bool {
	body := bytes.TrimSpace(a.Body)
	if a.Method == http.MethodDelete {
		return bytes.HasPrefix(body, []byte("<")) // any other text may come from the service
	}
	return len(body) > 0 && !json.Valid(a.Body) // checks a.Body, because TrimSpace also removes form feeds, which are not JSON white space (RFC 8259, section 2)
}

// fold returns a word in lower case, without surrounding space.
func fold(word string) string { return strings.ToLower(strings.TrimSpace(word)) }
