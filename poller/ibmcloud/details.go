package ibmcloud

import (
	"encoding/json"
	"fmt"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// errorsOf collects the errors of a failed operation from four sources: own, which is the caller's
// function; the document; the reasons next to the status; and the object that contains the status.
func errorsOf(a poller.Answer, own func(poller.Answer) *lroerrors.Detail, status string) *lroerrors.Detail {
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

// detailAt returns the error or errors at a pointer, or nil if there are none.
func detailAt(a poller.Answer, pointer string) *lroerrors.Detail {
	var d lroerrors.Detail
	if raw, ok := a.Lookup(pointer); !ok || json.Unmarshal(raw, &d) != nil || d.IsZero() {
		return nil
	}
	return &d
}

// join combines errors into one; it returns nil if there are none.
func join(found []*lroerrors.Detail) *lroerrors.Detail {
	var all lroerrors.Detail
	var one *lroerrors.Detail
	for _, d := range found {
		switch {
		case d == nil || d.IsZero():
			continue
		case one == nil:
			one = d
		}
		if all.Trace == "" {
			all.Trace = d.Trace
		}
		if d.Code == "" && len(d.Details) > 0 { // d only groups other errors
			all.Details = append(all.Details, d.Details...)
		} else {
			all.Details = append(all.Details, *d)
		}
	}
	if one == nil || len(all.Details) == 1 || len(all.Details) == len(one.Details) {
		return one
	}
	all.Message = fmt.Sprintf("%d errors", len(all.Details))
	return &all
}
