package arohcp

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// Refuse answers requests that the frontend rejects before it looks up a resource. It also lists
// the resources of one type in a subscription, because the engine cannot list across resource
// groups.
func (d dialect) Refuse(s *engine.Service, q *engine.Request) (engine.Answer, bool) {
	for _, check := range earlyChecks {
		if a := check(s, q); a.StatusCode != 0 {
			return a, true
		}
	}
	if listsSubscription(q) {
		return s.List(q, inSubscription(s, q)), true
	}
	return engine.Answer{}, false
}

// earlyChecks lists the checks that the frontend makes on every request, in the frontend's order. A
// check that passes returns an Answer without a status code.
var earlyChecks = []func(*engine.Service, *engine.Request) engine.Answer{
	checkMediaType, checkRoute, checkVersion, checkSubscription, checkCaller,
}

// checkMediaType refuses a PUT, PATCH or POST whose Content-Type is not application/json, even if
// the body is empty. It accepts a request without a Content-Type.
func checkMediaType(_ *engine.Service, q *engine.Request) engine.Answer {
	declared := q.Header.Get("Content-Type")
	media, _, _ := strings.Cut(declared, ";")
	if !hasBody[q.Method] || declared == "" || strings.EqualFold(media, "application/json") {
		return engine.Answer{}
	}
	return engine.Failure(http.StatusUnsupportedMediaType, engine.Error{
		Code:    "UnsupportedMediaType",
		Message: "The content media type '" + declared + "' is not supported. Only 'application/json' is supported.",
	})
}

// hasBody lists the methods for which the frontend reads a body.
var hasBody = map[string]bool{http.MethodPut: true, http.MethodPatch: true, http.MethodPost: true}

// checkRoute refuses requests for which the frontend has no route.
func checkRoute(_ *engine.Service, q *engine.Request) engine.Answer {
	if routed(q) {
		return engine.Answer{}
	}
	return engine.Failure(http.StatusNotFound, engine.Error{Code: "NotFound", Message: "The requested path could not be found."})
}

// routed reports whether the frontend has a route for q. An operation's URLs accept only GET, an
// action accepts only POST, and nothing else accepts POST.
func routed(q *engine.Request) bool {
	if q.Kind == "" || q.Kind == engine.Cancel {
		return false
	}
	parent, _ := engine.Cut(q.Path)
	_, kind := engine.Cut(parent)
	if strings.EqualFold(kind, "hcpOperationStatuses") || strings.EqualFold(kind, "hcpOperationResults") {
		return q.Method == http.MethodGet // the route exists even if the operation does not
	}
	return q.Is(engine.Begin, http.MethodPost) == isClusterAction(q.Path)
}

// hcpVersions lists the API versions that the frontend accepts.
var hcpVersions = []string{"2024-06-10-preview", "2025-12-23-preview", "2026-06-30-preview", "2026-09-01-preview"}

// checkVersion refuses a missing or unsupported API version.
func checkVersion(_ *engine.Service, q *engine.Request) engine.Answer {
	version := versionOf(q)
	if version == "" {
		return engine.Failure(http.StatusBadRequest, engine.Error{Code: "InvalidParameter", Message: "The request is missing required parameter 'api-version'."})
	}
	if slices.Contains(hcpVersions, version) {
		return engine.Answer{}
	}
	// The message always names the cluster type, even if the request is for a node pool.
	return engine.Failure(http.StatusBadRequest, engine.Error{
		Code:    "InvalidResourceType",
		Message: "The resource type 'Microsoft.RedHatOpenShift/hcpOpenShiftClusters' could not be found API version '" + version + "'.",
	})
}

// versionOf returns q's api-version, or "" if q has no api-version.
func versionOf(q *engine.Request) string {
	_, version, _ := engine.SplitQuery(q.Query, "api-version")
	return version
}

// checkSubscription refuses a request in a subscription that is not registered. Until a test stores
// a subscription, all subscriptions are registered.
func checkSubscription(s *engine.Service, q *engine.Request) engine.Answer {
	parts := strings.Split(q.Path, "/") // parts[0] is empty
	if len(parts) < 4 {
		return engine.Answer{}
	}
	isInSubscription := strings.EqualFold(parts[1], "subscriptions")
	if !isInSubscription || !s.HasAny("/subscriptions") {
		return engine.Answer{}
	}
	subscription := s.Resources[engine.Key(strings.Join(parts[:3], "/"))]
	if subscription != nil && subscription.Object()["state"] != "Unregistered" {
		return engine.Answer{}
	}
	return engine.Failure(http.StatusBadRequest, engine.Error{
		Code:    "InvalidSubscriptionState",
		Message: fmt.Sprintf("Request is not allowed in unregistered subscription '%s'.", parts[2]),
	})
}

// checkCaller hides an operation from any identity other than the one that started it.
func checkCaller(_ *engine.Service, q *engine.Request) engine.Answer {
	if !q.Foreign() {
		return engine.Answer{}
	}
	if q.View == engine.StatusURL {
		return engine.Answer{StatusCode: http.StatusNotFound}
	}
	return dialect{}.NotFound(q, q.Path)
}
