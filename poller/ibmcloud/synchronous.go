package ibmcloud

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/lro-go/lro/poller"
)

// succeeded ends an operation.
func succeeded(r poller.Result) poller.Move {
	return poller.Move{Status: poller.Status{State: poller.Succeeded}, Result: r}
}

// synchronous takes the answer to the first request as the result, unless it shows
// that more is to come.
func (o Operation) synchronous(a poller.Answer) (poller.Move, error) {
	word := fold(a.Text(o.status()))
	if _, named := a.Words[word]; named {
		word = ""
	}
	switch word {
	case "accepted", "creating", "deleting", "deploying", "in progress", "pending", "provisioning", "queued", "starting", "updating":
		return poller.Move{}, fmt.Errorf("%w: a resource that is %q tells its own status, use an ibmcloud.Resource", poller.ErrNotApplicable, word)
	}
	switch {
	case isForeign(a):
		return poller.Move{}, errNotJSON
	case a.Method == http.MethodDelete, len(bytes.TrimSpace(a.Body)) == 0:
		return succeeded(poller.Result{}), nil
	}
	return succeeded(poller.Result{Body: a.Body}), nil
}

var errNotJSON = errors.New("the body is not JSON")

// isForeign reports whether an answer is not the service's: a page of HTML, or what
// should be JSON and is none. Who sent it, such as a gateway, may not have asked the
// service at all. A GET can be sent again and is not judged.
func isForeign(a poller.Answer) bool {
	body := bytes.TrimSpace(a.Body)
	switch a.Method {
	case http.MethodGet:
		return false
	case http.MethodDelete:
		return bytes.HasPrefix(body, []byte("<")) // any other text may be the service's
	}
	return len(body) > 0 && !json.Valid(a.Body) // whole: a form feed is no white space of JSON (RFC 8259, section 2)
}
