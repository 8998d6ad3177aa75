package resource

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller/strategy"
)

// errorsOf collects the errors of a failed operation from the caller's function, the document, the
// reasons in a member such as state_reasons, and the object that contains the status.
func errorsOf(a strategy.Answer, own func(strategy.Answer) *lroerrors.Detail, status string) *lroerrors.Detail {
	var found []*lroerrors.Detail
	if own != nil {
		found = append(found, own(a))
	}
	found = append(found, a.Detail(), detailAt(a, status+"_reasons"))
	if i := strings.LastIndexByte(status, '/'); i > 0 {
		found = append(found, detailAt(a, status[:i]))
	}
	return join(found)
}

// detailAt returns the error or errors at a JSON pointer, or nil if it finds none.
func detailAt(a strategy.Answer, pointer string) *lroerrors.Detail {
	raw, ok := a.Lookup(pointer)
	if !ok {
		return nil
	}
	var d lroerrors.Detail
	err := json.Unmarshal(raw, &d)
	if err != nil || d.IsZero() {
		return nil
	}
	return &d
}

// join combines errors into one. It returns nil if all of them are nil or empty.
func join(found []*lroerrors.Detail) *lroerrors.Detail {
	var all lroerrors.Detail
	var first *lroerrors.Detail
	for _, d := range found {
		if d == nil || d.IsZero() {
			continue
		}
		if first == nil {
			first = d
		}
		all.Trace = cmp.Or(all.Trace, d.Trace)
		all.Details = append(all.Details, members(d)...)
	}
	if first == nil {
		return nil
	}

	n := len(all.Details)
	if n == 1 || n == len(first.Details) {
		return first
	}
	all.Message = fmt.Sprintf("%d errors", n)
	return &all
}

// members returns the errors in d if d only groups other errors, or else d itself.
func members(d *lroerrors.Detail) []lroerrors.Detail {
	if d.Code == "" && len(d.Details) > 0 {
		return d.Details
	}
	return []lroerrors.Detail{*d}
}
