package arohcp

import (
	"maps"
	"net/http"
	"time"

	"github.com/lro-go/lro/fakes/internal/engine"
	"github.com/lro-go/lro/fakes/internal/patch"
)

// systemDataHeader is the header in which ARM passes the caller's identity and the time of a
// change.
const systemDataHeader = "X-Ms-Arm-Resource-System-Data"

// longAgo is the creation time of a resource that a test stored without systemData.
var longAgo = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)

// systemDataOf returns the systemData in a resource's body, or a default.
func systemDataOf(body engine.Object) engine.Object {
	if stored, ok := body["systemData"].(engine.Object); ok {
		return stored
	}
	return systemDataAt(longAgo)
}

// systemDataAt returns the systemData of a resource created by an unknown caller at time t.
func systemDataAt(t time.Time) engine.Object {
	const caller, kind = "Unknown-ARO-HCP-frontend", "Application"
	at := t.UTC().Format(time.RFC3339Nano)
	return engine.Object{
		"createdBy": caller, "createdByType": kind, "createdAt": at,
		"lastModifiedBy": caller, "lastModifiedByType": kind, "lastModifiedAt": at,
	}
}

// newSystemData returns the new systemData of res, which q changes. If res is nil, it returns the
// systemData of the resource that q creates. Values missing from ARM's header get defaults (design
// document, "systemData"). A change keeps createdBy, createdByType and createdAt.
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

// store adds systemData to the body of q, a PUT or PATCH. If res is not nil, store also updates the
// tags and systemData of res right away, and undo reverts that update. As in the frontend, a failed
// operation does not revert it (design document, "Hosted Control Plane Clusters and Node Pools").
func store(q *engine.Request, res *engine.Resource) (undo func()) {
	body, ok := object(q.Body)
	if !ok {
		return func() {} // the engine will refuse the request
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

// object decodes data and reports whether it is a JSON object.
func object(data []byte) (engine.Object, bool) {
	v, err := engine.Decode(data)
	if err != nil {
		return nil, false
	}
	o, ok := v.(engine.Object)
	return o, ok
}
