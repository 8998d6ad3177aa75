package output

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// tree renders the failure as a text tree for people.
func (f *Failure) tree(color bool) string {
	const red, plain = "\x1b[31m", "\x1b[0m"
	line := f.headline()
	if f.target != "" {
		line = shortenURLs(f.target) + ": " + line
	}
	line = "lro: " + line
	if color {
		line = red + line + plain
	}

	var b strings.Builder
	fmt.Fprintln(&b, line)
	root := f.node()
	root.write(&b, "")
	if f.Unsaved != "" {
		fmt.Fprintf(&b, "lro: the resume token could not be saved: %s\n", f.Unsaved)
	}
	if f.TokenFile != "" {
		fmt.Fprintf(&b, "lro: the resume token is in %s; to continue:\n  %s\n", f.TokenFile, f.Resume)
	}
	return b.String()
}

// headline summarizes the failure in a few words.
func (f *Failure) headline() string {
	if f.isSummary {
		return f.cause
	}
	switch f.Exit {
	case ExitFailed, ExitCanceled:
		if f.State == "" {
			return f.cause // a FailedError, for example from lro serve, has no state
		}
		if f.Word != "" && !strings.EqualFold(f.Word, f.State) {
			return fmt.Sprintf("the %s ended as %s (%s)", f.subject(), f.State, f.Word)
		}
		return fmt.Sprintf("the %s ended as %s", f.subject(), f.State)
	case ExitResult:
		return "the operation succeeded, but its result could not be read"
	case ExitStopped:
		if f.State == "" {
			return f.cause // no state is known, for example because lro was reading a listing
		}
		if f.isResource {
			return "stopped waiting"
		}
		return "stopped waiting; the operation continues"
	case ExitLost:
		if f.isResource {
			return "the resource is gone, although its last known state was not Deleting"
		}
		return "the service accepted the operation, but " + f.lost()
	case ExitRefused:
		return f.refused()
	}
	return f.cause
}

// subject returns the word for what lro read.
func (f *Failure) subject() string {
	if f.isResource {
		return "resource"
	}
	return "operation"
}

// lost says why lro cannot follow the operation.
func (f *Failure) lost() string {
	switch lroerrors.Reason(f.Reason) {
	case lroerrors.ReasonPatience:
		return "its status could not be read for too long"
	case lroerrors.ReasonGone:
		return "no longer knows it"
	case lroerrors.ReasonUnfollowable:
		return "lro cannot follow it"
	}
	return "its status cannot be read"
}

// refused says what went wrong with the request, or that the service may have started the operation
// without confirming it.
func (f *Failure) refused() string {
	if f.MayHaveStarted {
		return "the service may have started the operation, but did not confirm it"
	}
	if f.Request == "" {
		return f.cause
	}
	if f.StatusCode >= http.StatusBadRequest {
		return "the service refused the request"
	}
	if f.StatusCode != 0 {
		return "the response could not be used"
	}
	if f.Attempts == 0 {
		return "the request could not be sent"
	}
	return "the request got no response"
}

func (f *Failure) node() node {
	var n node
	if f.Detail != nil {
		n = f.Detail.node()
	}
	if f.cause != f.headline() {
		f.addCause(&n)
	}
	n.add("advice", f.Advice)
	if f.State != "" && f.Reason != "" {
		n.add("last known", describe(poller.State(f.State), f.Word))
	}
	n.add("next read", f.due())
	n.add("request", f.Request)
	n.add("response", f.response())
	n.add("request id", f.RequestID)
	n.add("correlation id", f.CorrelationID)
	return n
}

// addCause adds the cause after the service's error, or before it if the wait was stopped.
func (f *Failure) addCause(n *node) {
	var reason node
	reason.add("reason", f.cause)
	if f.Exit == ExitStopped {
		n.sub = append(reason.sub, n.sub...)
		return
	}
	n.sub = append(n.sub, reason.sub...)
}

// due says when the next read is due. It returns "" if that time has passed or is unknown, or if
// the wait was not stopped.
func (f *Failure) due() string {
	wait := time.Until(f.nextPoll)
	if f.Exit != ExitStopped || wait <= 0 {
		return ""
	}
	if wait < 10*time.Millisecond {
		return "due now"
	}
	return "due " + in(f.nextPoll)
}

// response describes the last response to the request.
func (f *Failure) response() string {
	var s string
	if f.Attempts > 0 {
		s = "none"
	}
	if f.StatusCode != 0 {
		s = strings.TrimSpace(fmt.Sprintf("%d %s", f.StatusCode, http.StatusText(f.StatusCode)))
	}
	if f.Attempts > 1 {
		s += fmt.Sprintf(", after %d attempts", f.Attempts)
	}
	return s
}

// node returns the service's error as a tree. Its root contains the code and the message, so the
// tree can also serve as a detail of another error.
func (d *detail) node() node {
	n := node{text: strings.Trim(d.Code+": "+d.Message, ": ")}
	n.add("code", d.Code)
	n.add("message", d.Message)
	n.add("target", d.Target)
	var details []node
	for _, sub := range d.Details {
		details = append(details, sub.short())
	}
	n.add("details", "", details...)
	n.fromJSON("inner error", d.InnerError)
	for _, a := range d.AdditionalInfo {
		n.fromJSON("additional info "+a.Type, a.Info)
	}
	n.add("more", d.MoreInfo)
	n.add("trace", d.Trace)
	return n
}

// short returns the service's error as a tree without the lines for the code and the message, which
// the root already contains.
func (d *detail) short() node {
	n := d.node()
	n.sub = slices.DeleteFunc(n.sub, func(sub node) bool {
		return sub.text == "code: "+d.Code || sub.text == "message: "+d.Message
	})
	return n
}
