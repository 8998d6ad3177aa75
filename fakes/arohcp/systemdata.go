package arohcp

import (
	"maps"
	"net/http"
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
	"github.com/lro-go/lro/fakes/internal/patch"
)

// systemDataHeader is the header in which ARM says who sends a change, and when.
const systemDataHeader = "X-Ms-Arm-Resource-System-Data"

// longAgo is the time at which a resource without systemData was created, because a test has stored
// it.
var longAgo = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)

// systemDataOf returns the systemData of a resource with this body.
func systemDataOf(body engine.Object) engine.Object {
	if stored, ok := body["systemData"].(engine.Object); ok {
		return stored
	}
	return systemDataAt(longAgo)
}

// systemDataAt returns the systemData after a change by an unknown caller.
func systemDataAt(t time.Time) engine.Object {
	const caller, kind = "Unknown-ARO-HCP-frontend", "Application"
	at := t.UTC().Format(time.RFC3339Nano)
	return engine.Object{
		"createdBy": caller, "createdByType": kind, "createdAt": at,
		"lastModifiedBy": caller, "lastModifiedByType": kind, "lastModifiedAt": at,
	}
}

// newSystemData returns the systemData after q has changed res, or has created it if res is nil. The
// frontend stores what ARM says (design document, "systemData"), and fills in what is missing.
func newSystemData(q *engine.Request, res *engine.Resource) engine.Object {
	data := systemDataAt(time.Now())
	if given, ok := object([]byte(q.Header.Get(systemDataHeader))); ok {
		maps.Copy(data, given)
	}
	if res == nil {
		return data
	}
	old := systemDataOf(res.Object())
	for _, name := range []string{"createdBy", "createdByType", "createdAt"} {
		data[name] = old[name]
	}
	return data
}

// store adds systemData to the body of q, a PUT or PATCH, and stores the part of the update that the
// frontend stores itself: the tags and systemData (design document, "Hosted Control Plane Clusters
// and Node Pools"). The operation then changes the rest, so a failure reverts only the rest. store
// returns a function that undoes it. res is nil if it does not exist.
func store(q *engine.Request, res *engine.Resource) (undo func()) {
	body, ok := object(q.Body)
	if !ok {
		return func() {} // the request will be refused
	}
	body["systemData"] = newSystemData(q, res)
	q.Body = engine.Encode(body)
	if res == nil {
		return func() {}
	}

	own := engine.Object{"systemData": body["systemData"]}
	if tags, given := body["tags"]; given {
		own["tags"] = tags
	}
	old := res.Body
	stored := res.Object()
	if q.Method == http.MethodPatch {
		stored = patch.Merge(stored, own)
	} else {
		maps.Copy(stored, own)
	}
	res.Body = engine.Encode(stored)
	return func() { res.Body = old }
}

// object decodes a JSON object.
func object(data []byte) (engine.Object, bool) {
	v, err := engine.Decode(data)
	if err != nil {
		return nil, false
	}
	o, ok := v.(engine.Object)
	return o, ok
}
