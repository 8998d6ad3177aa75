// Package aip151 follows Google's long-running operations (AIP-151). A service returns such an
// operation as a JSON document, a google.longrunning.Operation. Set Options.Strategy of package
// [github.com/lro-go/lro/poller] to an [Operation].
//
// An Operation reads the members of the document and builds the request that cancels the operation.
// You may have to set the path that precedes an operation's name; see Base. You can use the package
// as a model for your own strategy. docs/writing-a-strategy.md explains it line by line.
package aip151

import (
	"cmp"
	"encoding/json"
	"net/url"
	"path"
	"strconv"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller/strategy"
)

// An Operation follows a google.longrunning.Operation. The zero Operation is ready to use.
//
// The body of the first response and of every later status response is an operation document. An
// operation that is done has succeeded, unless it has an error. The result is the member response,
// which may have a member "@type". An error with the code CANCELLED means that the operation was
// canceled; any other error is a failure. The Detail's Code is the number of the error code, such
// as "5" for NOT_FOUND, and its InnerError contains the error's details.
//
// Cancel sends a POST to the operation's URL with ":cancel" appended. Because the service chooses
// that URL, Cancel sends the request only if the path has a segment "operations" before the last
// one. After Cancel, the operation ends when its status says so. It may still succeed.
//
// If a method of the service returns its resource instead of an operation, the error is
// ErrNotApplicable.
//
// Reads do not repeat the first request's query, so send an API key in the header X-Goog-Api-Key.
type Operation struct {
	// Base is the path before an operation's name, such as "/v1/". By default, it is the first
	// segment of the request's path, because the usual mapping is "/v1/{name=operations/**}".
	Base string

	Percent string // JSON pointer to the progress in percent; "/metadata/progressPercent" by default
}

// A document is the JSON form of an operation (google/longrunning/operations.proto, "Operation").
type document struct {
	Name     string // "should be a resource name ending with operations/{unique_id}"
	Done     bool
	Response json.RawMessage
	Error    *struct { // a google.rpc.Status
		Code    int
		Message string
		Details json.RawMessage
	}
}

// canceled is the value of CANCELLED in google.rpc.Code ("CancelOperation").
const canceled = 1

// Step implements [strategy.Strategy].
func (o Operation) Step(a strategy.Answer) (strategy.Move, error) {
	if !json.Valid(a.Body) {
		return strategy.Move{}, strategy.ErrNotJSON // perhaps a gateway's error page
	}
	if a.Code/100 != 2 {
		return strategy.Move{}, strategy.ErrNoStatus // the poller decides based on the status code
	}
	var doc document
	err := json.Unmarshal(a.Body, &doc)
	if err != nil {
		return strategy.Move{}, err
	}

	mv := strategy.Move{Status: doc.status(), Inline: true} // the document of a finished operation contains the result
	mv.Status.PercentComplete = o.percent(a)
	if a.First {
		mv.Poll = o.base(a) + (&url.URL{Path: doc.Name, RawPath: doc.Name}).EscapedPath()
		if !isOperation(mv.Poll) {
			return strategy.Move{}, strategy.ErrNotApplicable
		}
	}
	if doc.Name == "" {
		return strategy.Move{}, strategy.ErrNoStatus
	}
	if mv.Status.State == strategy.Succeeded {
		mv.Result.Body = doc.Response
	}
	return mv, nil
}

// status returns the status in the document. "If done == true, exactly one of error or response is
// set."
func (d *document) status() strategy.Status {
	s := strategy.Status{State: strategy.InProgress, Name: d.Name}
	if !d.Done {
		return s
	}
	if d.Error == nil {
		s.State = strategy.Succeeded
		return s
	}
	s.State = strategy.Failed
	if d.Error.Code == canceled {
		s.State = strategy.Canceled
	}
	s.Detail = &lroerrors.Detail{Code: strconv.Itoa(d.Error.Code), Message: d.Error.Message, InnerError: d.Error.Details}
	return s
}

// percent returns the progress at o.Percent, or nil if it is missing or invalid.
func (o Operation) percent(a strategy.Answer) *float64 {
	raw, _ := a.Lookup(cmp.Or(o.Percent, "/metadata/progressPercent"))
	p, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	if err == nil && 0 <= p && p <= 100 {
		return &p
	}
	return nil
}

// Cancel implements [strategy.Canceler].
func (o Operation) Cancel(a strategy.Answer) (*strategy.Request, error) {
	if !isOperation(a.Poll) {
		return nil, nil
	}
	return &strategy.Request{URL: a.Poll + ":cancel", Body: json.RawMessage(`{}`)}, nil
}

// Validate returns an error if Percent is not a JSON pointer.
func (o Operation) Validate() error { return strategy.CheckPointer(o.Percent) }

// base returns the path before an operation's name.
func (o Operation) base(a strategy.Answer) string {
	_, rest, _ := strings.Cut(a.Target, "://")
	_, rest, _ = strings.Cut(rest, "/")
	version, _, _ := strings.Cut(rest, "/")
	return cmp.Or(o.Base, "/"+version+"/")
}

// isOperation reports whether a URL has no query and has a path segment "operations" before its
// last segment. In the usual mapping (see Operation.Base), every operation has such a URL.
func isOperation(rawURL string) bool {
	u, err := url.Parse(rawURL)
	return err == nil && strings.Contains(path.Clean(u.Path), "/operations/") && u.RawQuery == ""
}
