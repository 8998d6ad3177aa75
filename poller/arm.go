package poller

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/wire"
)

// armStrategy is a strategy of Azure Resource Manager, by the name under which
// a token remembers it.
type armStrategy string

// The strategies of Azure Resource Manager. Each is a [Strategy] like any
// other, for Options.Strategy where the choice by the response is wrong for a
// service.
//
// All but ARM also take up an operation of which nothing is left but a URL: a GET
// that is begun with one of them asks the operation itself, and goes on doing so.
// So is followed the proxy resource "…/latest" of an operation whose own URL was
// lost (asynchronous API reference, "Long running operations running more than a
// day"), with AzureAsyncOperation; the operation resource or the Location that
// somebody wrote down; and the resource of a PUT, with ProvisioningState.
const (
	// ARM chooses one of the others by the first response, and is the default:
	// Azure-AsyncOperation, Operation-Location, Location on a 202, and for PUT
	// and PATCH the resource itself. Any other response is the result, but for a page
	// of HTML, which is a gateway's.
	ARM armStrategy = "arm"

	// AzureAsyncOperation polls the operation resource that the header of this
	// name points to (asynchronous API reference, "Azure-AsyncOperation Resource
	// format").
	AzureAsyncOperation armStrategy = "azure-async-operation"

	// OperationLocation polls the status monitor that the Operation-Location
	// header points to. Its document may name the result's resourceLocation.
	OperationLocation armStrategy = "operation-location"

	// Location polls the URL of the Location header until it answers with what
	// the synchronous call would have answered (asynchronous API reference, "202
	// Accepted and Location Headers").
	Location armStrategy = "location"

	// ProvisioningState polls the resource until its provisioningState is
	// terminal (asynchronous API reference, "ProvisioningState property").
	ProvisioningState armStrategy = "provisioning-state"
)

var _ Strategy = ARM

// Step implements [Strategy].
func (s armStrategy) Step(a Answer) (Move, error) {
	if a.First {
		if s == ARM {
			s = chooseARM(&a)
		}
		return armMemo{Strategy: s}.step(&a)
	}
	memo, err := readMemo(&a)
	if err != nil {
		return Move{}, fmt.Errorf("%w: its memo is not that of an ARM strategy", ErrNotApplicable)
	}
	return memo.step(&a)
}

// chooseARM picks the first strategy that the response allows. A header that is
// there decides, good or bad: what a service names first is not skipped.
func chooseARM(a *Answer) armStrategy {
	switch {
	case headerOf(a, headerAsync) != "":
		return AzureAsyncOperation
	case headerOf(a, headerOpLocation) != "":
		return OperationLocation
	case a.Code == http.StatusAccepted && headerOf(a, headerLocation) != "":
		return Location
	case a.Method == http.MethodPut || a.Method == http.MethodPatch:
		return ProvisioningState
	}
	return "" // synchronous
}

// asksItself reports whether the first answer is already one of the operation's
// own: that of a GET which names no other URL to ask.
func asksItself(a *Answer, header string) bool {
	return a.First && a.Method == http.MethodGet && headerOf(a, header) == ""
}

func (m armMemo) step(a *Answer) (Move, error) {
	switch m.Strategy {
	case AzureAsyncOperation:
		return m.stepMonitor(a, headerAsync)
	case OperationLocation:
		return m.stepMonitor(a, headerOpLocation)
	case Location:
		return m.stepLocation(a)
	case ProvisioningState:
		return m.stepResource(a)
	case "":
		if a.First {
			return stepSynchronous(a)
		}
	}
	return Move{}, fmt.Errorf("%w: its memo is not that of an ARM strategy", ErrNotApplicable)
}

// stepSynchronous takes the response as the result, unless it says that it is
// not.
func stepSynchronous(a *Answer) (Move, error) {
	if a.Code == http.StatusAccepted {
		return Move{}, fmt.Errorf("%w: 202 to %s without a header that names an operation", lroerrors.ErrNoOperation, a.Method)
	}
	return resultInHand(a)
}

// resultInHand ends the operation with the body of the answer as its result.
func resultInHand(a *Answer) (Move, error) {
	mv := Move{Status: Status{State: Succeeded}}
	if wire.IsEmpty(a.Body) {
		return mv, nil
	}
	if !json.Valid(a.Body) {
		if a.Method == http.MethodDelete && !isPage(a.Body) {
			return mv, nil // it has no result to be read
		}
		return Move{}, errNotJSON
	}
	mv.Result.Body = a.Body
	return mv, nil
}

// isPage tells a page for people from a word of the service: who sent it, such as a
// gateway, may not have asked the service at all.
func isPage(body []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) }

var errNotJSON = errors.New("the body is not JSON")

const (
	headerAsync      = "Azure-Asyncoperation" // in net/http's own form, which is looked up as it is
	headerOpLocation = "Operation-Location"
	headerLocation   = "Location"
)

func headerOf(a *Answer, name string) string { return strings.TrimSpace(wire.First(a.Header, name)) }
