package ibmcloud_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/ibmcloud"
)

// member returns the named member of the JSON object in the body, without quotes.
func (r reply) member(name string) string {
	var doc map[string]json.RawMessage
	_ = json.Unmarshal([]byte(r.body), &doc)
	return strings.Trim(string(doc[name]), `"`)
}

// Each row covers one style that reports the status in a resource. For each request, the row lists
// the status code of the response and the status in it, then the status in each later response, or
// 404 when the resource is gone.
func TestResources(t *testing.T) {
	tests := []struct {
		style  fakes.Style
		member string
		// the expected responses to a POST, a PATCH, an action and a DELETE
		create, update, act, remove string
	}{
		{ibmcloud.ResourceStatus, "status", "201 pending pending starting running running", "200 pending pending pending running running", "202 restarting restarting restarting running running", "204  deleting deleting 404"},
		{ibmcloud.LifecycleState, "lifecycle_state", "201 pending pending pending stable stable", "200 updating updating updating stable stable", "202 updating updating updating stable stable", "204  deleting deleting 404"},
		{ibmcloud.ProvisioningStatus, "provisioning_status", "201 create_pending create_pending create_pending active active", "200 update_pending update_pending update_pending active active", "202 maintenance_pending maintenance_pending maintenance_pending active active", "204  delete_pending delete_pending 404"},
		{ibmcloud.AppStatus, "status", "201 deploying deploying deploying ready ready", "200 deploying deploying deploying ready ready", "202 deploying deploying deploying ready ready", "202 deleting deleting deleting 404"},
	}
	for _, tt := range tests {
		svc := ibmcloud.New(nil)
		svc.Default.Style = tt.style
		c := newTester(t, svc)
		for _, step := range []struct{ method, path, want string }{
			{"POST", "/v1/widgets", tt.create},
			{"PATCH", ibmWidget, tt.update},
			{"POST", ibmWidget + "/actions", tt.act},
			{"DELETE", ibmWidget, tt.remove},
		} {
			r := c.do(step.method, host+step.path, `{"name":"w"}`)
			if r.code != 204 {
				require.Equal(t, host+ibmWidget, r.member("href"))
				require.Equal(t, "w", r.member("name"))
			}
			require.NotContains(t, r.header, "Location")
			got := fmt.Sprint(r.code, " ", r.member(tt.member))
			for range 4 {
				r := c.ask(ibmWidget)
				if r.code == 404 {
					got += " 404"
					break
				}
				got += " " + r.member(tt.member)
			}
			require.Equal(t, step.want, got, "%s, %s", tt.member, step.method)
		}
	}
}

// The style determines how a failed resource reports the reason, if at all.
func TestResourceFailures(t *testing.T) {
	const reasons = `[{"code":"quota","message":"none left"},{"code":"zone","message":"full"}]`
	tests := []struct {
		style  fakes.Style
		status string
		member string
		want   string
	}{
		{ibmcloud.ResourceStatus, "status", "status_reasons", reasons},
		{ibmcloud.LifecycleState, "lifecycle_state", "lifecycle_reasons", reasons},
		{ibmcloud.ProvisioningStatus, "provisioning_status", "status_reasons", ""},
		{ibmcloud.AppStatus, "status", "status_details", `{"reason":"quota"}`},
	}
	for _, tt := range tests {
		svc := ibmcloud.New(nil)
		svc.Plan(fakes.Plan{Style: tt.style, Polls: -1, Ending: fakes.Failed, Error: fakes.Error{
			Code: "quota", Message: "none left", Target: "size", Details: []fakes.Error{{Code: "zone", Message: "full"}},
		}})
		c := newTester(t, svc)
		require.Empty(t, c.do("POST", host+"/v1/widgets", "{}").member(tt.member))
		for range 2 {
			r := c.ask(ibmWidget)
			require.Equal(t, "failed", r.member(tt.status))
			require.Equal(t, tt.want, r.member(tt.member), tt.member)
		}
	}
}

// A plan's Words, EndWord, StatusCode, RetryAfter and Duration also apply if the resource reports
// the status.
func TestResourcePlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := ibmcloud.New(nil)
		svc.Plan(fakes.Plan{
			Style: ibmcloud.AppStatus, StatusCode: 202, Duration: time.Hour, RetryAfter: time.Minute,
			Words: []string{"creating"}, EndWord: "warning",
		})
		c := newTester(t, svc)
		r := c.do("POST", host+"/v2/projects/", `{"status":"mine"}`)
		require.Equal(t, 202, r.code)
		require.Equal(t, "60", r.header.Get("Retry-After"))
		require.Equal(t, "creating", r.member("status"))
		time.Sleep(time.Hour - 1)
		project := "/v2/projects/" + ibmName
		r = c.ask(project)
		require.Equal(t, "60", r.header.Get("Retry-After"))
		require.Equal(t, "creating", r.member("status"))
		time.Sleep(time.Nanosecond)
		r = c.ask(project)
		require.NotContains(t, r.header, "Retry-After")
		require.Equal(t, "warning", r.member("status"))
		require.Equal(t, fakes.Poll, svc.Requests()[2].Kind)
	})
}

// A Resource Controller instance reports its last operation while that operation is in progress and
// after it has ended.
func TestInstance(t *testing.T) {
	const instance = "/v2/resource_instances/" + ibmName
	const crn = "crn:v1:bluemix:public:contoso:us-south:a/0123456789abcdef:" + ibmName + "::"
	body := func(state, kind, rest string) string {
		return `{"guid":"` + ibmName + `","id":"` + crn + `","last_operation":{"async":true,` + rest + `,"type":"` + kind + `"},"name":"i","state":"` + state + `","url":"` + instance + `"}`
	}
	const (
		running = `"cancelable":true,"description":"Started","poll":true,"poll_after":9,"state":"in progress"`
		hinted  = `"cancelable":true,"description":"Started","poll":true,"poll_after":2,"state":"in progress"`
		ended   = `"cancelable":false,"description":"Completed","poll":false,"state":"succeeded"`
		quota   = `"cancelable":false,"description":"none left","poll":false,"reason_code":"RC-Quota","state":"failed"`
		undone  = `"cancelable":false,"description":"The operation was canceled.","poll":false,"reason_code":"canceled","state":"failed"`
	)
	failed := fakes.Plan{Ending: fakes.Failed, Error: fakes.Error{Code: "RC-Quota", Message: "none left"}}
	tests := map[string]struct {
		plan    fakes.Plan
		method  string
		code    int
		started string
		cancel  bool
		ended   string // the body after the operation; "" if a GET then returns 404
	}{
		"created":      {fakes.Plan{}, "POST", 202, body("provisioning", "create", running), false, body("active", "create", ended)},
		"201":          {fakes.Plan{StatusCode: 201}, "POST", 201, body("provisioning", "create", running), false, body("active", "create", ended)},
		"RetryAfter":   {fakes.Plan{RetryAfter: 1500 * time.Millisecond}, "POST", 202, body("provisioning", "create", hinted), false, body("active", "create", ended)},
		"create fails": {failed, "POST", 202, body("provisioning", "create", running), false, body("failed", "create", quota)},
		"canceled":     {fakes.Plan{}, "POST", 202, body("provisioning", "create", running), true, body("removed", "create", undone)},
		"updated":      {fakes.Plan{}, "PATCH", 202, body("active", "update", running), false, body("active", "update", ended)},
		"update fails": {failed, "PATCH", 202, body("active", "update", running), false, body("active", "update", quota)},
		"removed":      {fakes.Plan{}, "DELETE", 202, body("pending_removal", "delete", running), false, body("removed", "delete", ended)},
		"reclaimed":    {fakes.Plan{EndWord: "pending_reclamation"}, "DELETE", 202, body("pending_removal", "delete", running), false, body("pending_reclamation", "delete", ended)},
		"gone":         {fakes.Plan{}, "DELETE", 202, body("pending_removal", "delete", running), false, ""},
		"delete fails": {failed, "DELETE", 202, body("pending_removal", "delete", running), false, body("active", "delete", quota)},
		"delete undone": {
			fakes.Plan{},
			"DELETE", 202, body("pending_removal", "delete", running), true, body("active", "delete", undone),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			svc := ibmcloud.New(&ibmcloud.Options{Gone: name == "gone"})
			tt.plan.Polls = 1
			svc.Default = tt.plan
			path := instance
			if tt.method == "POST" {
				path = "/v2/resource_instances"
			} else {
				svc.Put(instance, map[string]any{"name": "i"})
			}
			c := newTester(t, svc)
			r := c.do(tt.method, host+path, `{"name":"i"}`)
			require.Equal(t, tt.code, r.code)
			require.Equal(t, tt.started, r.body)
			require.NotContains(t, r.header, "Retry-After", "the pause must be in the body only")
			require.NotContains(t, r.header, "Location")
			require.Equal(t, 404, c.ask(instance+"/last_operation").code, "last_operation must accept only a DELETE")
			if tt.cancel {
				r = c.do("DELETE", host+instance+"/last_operation", "")
				require.Equal(t, 202, r.code)
				require.Equal(t, tt.ended, r.body)
			} else {
				require.Equal(t, tt.started, c.ask("/v2/resource_instances/"+url.PathEscape(crn)).body, "the CRN must identify the same instance")
			}
			r = c.ask(instance)
			require.Equal(t, tt.ended, strings.TrimSuffix(r.body, "\n")[:min(len(r.body), len(tt.ended))])
			require.Equal(t, map[bool]int{true: 404, false: 200}[tt.ended == ""], r.code)
			r = c.do("DELETE", host+instance+"/last_operation", "")
			require.Equal(t, 409, r.code, "an operation that has ended must not be canceled")
			if tt.method == "DELETE" && tt.ended == body("removed", "delete", ended) {
				require.Equal(t, 410, c.do("DELETE", host+instance, "").code)
			}
		})
	}
}

func TestExistingInstance(t *testing.T) {
	svc := ibmcloud.New(nil)
	svc.Put("/v2/resource_instances/i1", map[string]any{})
	const i1 = `{"guid":"i1","id":"crn:v1:bluemix:public:contoso:us-south:a/0123456789abcdef:i1::","state":"active","url":"/v2/resource_instances/i1"}`
	c := newTester(t, svc)
	require.Equal(t, i1, c.ask("/v2/resource_instances/i1").body)
	require.Equal(t, `{"resources":[`+i1+`],"rows_count":1}`, c.ask("/v2/resource_instances").body)
	require.Equal(t, 404, c.do("DELETE", host+"/v2/resource_instances/i1/last_operation", "").code, "an instance without an operation must not have a last_operation")
}

// A PUT, PATCH, POST or DELETE request to a Cloud Databases deployment, or to a path below it,
// starts a task whose ID is a CRN.
func TestTasks(t *testing.T) {
	const (
		deployment = "/v5/ibm/deployments/d1"
		task       = "crn:v1:bluemix:public:contoso:us-south:a/0123456789abcdef:d1:task:" + first
	)
	tests := map[string]struct {
		plan         fakes.Plan
		method, path string
		want         string
		there        bool
	}{
		"scaled":     {fakes.Plan{}, "PATCH", deployment + "/groups/member", "queued 0 queued 33 running 66 completed 100", true},
		"deployment": {fakes.Plan{}, "PATCH", deployment, "queued 0 queued 33 running 66 completed 100", true},
		"action":     {fakes.Plan{}, "POST", deployment + "/restore", "queued 0 queued 33 running 66 completed 100", false},
		"created":    {fakes.Plan{}, "PUT", deployment + "/users/u", "queued 0 queued 33 running 66 completed 100", true},
		"deleted":    {fakes.Plan{}, "DELETE", deployment + "/allowlists/a", "queued 0 queued 33 running 66 completed 100", false},
		"failed":     {fakes.Plan{Ending: fakes.Failed, Error: fakes.Error{Message: "no disk"}}, "PATCH", deployment + "/groups/member", "queued 0 queued 33 running 66 failed 100 no disk", false},
		"expired":    {fakes.Plan{Ending: fakes.Failed, EndWord: "expired"}, "PATCH", deployment + "/groups/member", "queued 0 queued 33 running 66 expired 100 The operation failed.", false},
		"Words":      {fakes.Plan{Words: []string{"waiting"}}, "PATCH", deployment + "/groups/member", "waiting 0 waiting 33 waiting 66 completed 100", true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			svc := ibmcloud.New(nil)
			svc.Put(deployment, map[string]any{})
			for _, below := range []string{"/groups", "/allowlists", "/users"} {
				svc.Put(deployment+below, map[string]any{}) // the service must not mistake this resource for a deployment
			}
			svc.Default = tt.plan
			c := newTester(t, svc)
			r := c.do(tt.method, host+tt.path, `{"memory":1}`)
			require.Equal(t, 202, r.code)
			require.NotContains(t, r.header, "Location")
			var got []string
			for range 4 {
				var doc struct {
					Task struct {
						ID, Status, Description string
						Progress                int    `json:"progress_percent"`
						Deployment              string `json:"deployment_id"`
					}
				}
				require.NoError(t, json.Unmarshal([]byte(r.body), &doc))
				require.Equal(t, task, doc.Task.ID)
				require.Equal(t, "d1", doc.Task.Deployment)
				got = append(got, fmt.Sprint(doc.Task.Status, " ", doc.Task.Progress))
				if tt.plan.Ending != "" && doc.Task.Progress == 100 {
					got = append(got, doc.Task.Description)
				}
				r = c.ask("/v5/ibm/tasks/" + url.PathEscape(task))
				require.Equal(t, 200, r.code)
			}
			require.Equal(t, tt.want, strings.Join(got, " "))
			require.Equal(t, map[bool]int{true: 200, false: 404}[tt.there], c.ask(strings.Replace(tt.path, "/restore", "/none/x", 1)).code)
			require.Equal(t, 404, c.do("DELETE", host+"/v5/ibm/tasks/"+url.PathEscape(task), "").code, "a task cannot be canceled")
		})
	}
}

func TestTasksRequireDeployment(t *testing.T) {
	svc := ibmcloud.New(nil)
	c := newTester(t, svc)
	for _, method := range []string{"PATCH", "POST", "DELETE"} {
		r := c.do(method, host+"/v5/ibm/deployments/none/groups/member", "{}")
		require.Equal(t, 404, r.code, method)
		require.Contains(t, r.body, `"code":"not_found"`)
	}
	r := c.do("POST", host+"/v5/ibm/deployments", "{}")
	require.Equal(t, 202, r.code)
	require.Contains(t, r.body, `"deployment_id":"`+ibmName+`"`)
	require.True(t, svc.Finish(first))
	require.Equal(t, 200, c.ask("/v5/ibm/deployments/"+ibmName).code)

	name := "crn:v1:bluemix:public:contoso:us-south:a/1:d2::"
	svc.Put("/v5/ibm/deployments/"+name, map[string]any{})
	r = c.do("PATCH", host+"/v5/ibm/deployments/"+url.PathEscape(name)+"/groups/member", "{}")
	require.Equal(t, 202, r.code, r.body)
	require.Contains(t, r.body, `"deployment_id":"`+name+`"`)
	require.Contains(t, r.body, `"id":"crn:v1:bluemix:public:contoso:us-south:a/1:d2:task:`)
	var doc struct{ Task struct{ ID string } }
	require.NoError(t, json.Unmarshal([]byte(r.body), &doc))
	require.Equal(t, 200, c.ask("/v5/ibm/tasks/"+url.PathEscape(doc.Task.ID)).code)
}

// A DELETE of last_operation cancels an instance's current operation even if the service has
// forgotten an earlier one.
func TestForgottenLastOperation(t *testing.T) {
	svc := ibmcloud.New(nil)
	svc.KeepOperations = 1
	svc.Put("/v2/resource_instances/i1", map[string]any{})
	svc.Put("/v2/resource_instances/i2", map[string]any{})
	c := newTester(t, svc)
	patch := func(name string) {
		require.Equal(t, 202, c.do("PATCH", host+"/v2/resource_instances/"+name, "{}").code)
	}
	patch("i1")
	require.True(t, svc.Finish("/v2/resource_instances/i1"))
	patch("i1")
	patch("i2")
	require.True(t, svc.Finish("/v2/resource_instances/i2"))
	patch("i2") // two operations have ended, so the service forgets i1's first operation
	require.Equal(t, 202, c.do("DELETE", host+"/v2/resource_instances/i1/last_operation", "").code)
}
