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
	case a.Method == http.MethodDelete, len(bytes.TrimSpace(a.Body)) == 0:
		return succeeded(poller.Result{}), nil
	case !json.Valid(a.Body):
		return poller.Move{}, errors.New("the body is not JSON")
	}
	return succeeded(poller.Result{Body: a.Body}), nil
}
