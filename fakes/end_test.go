package fakes_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/ibmcloud"
)

// Operations returns the operations in the order they started. It shows that an operation has ended
// even if no client has polled it.
func TestOperations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{Duration: time.Minute, Ending: fakes.Failed}, Expire: time.Hour}
		require.Empty(t, svc.Operations())
		c := newTester(t, svc)
		start := time.Now()
		c.do("PUT", "/widgets/w1", "{}")
		time.Sleep(59 * time.Second)
		c.do("PUT", "/widgets/w2", "{}")
		running := fakes.Operation{ID: first, Method: "PUT", Path: "/widgets/w1", Status: "Accepted", Start: start}
		require.Equal(t, running, svc.Operations()[0])

		time.Sleep(time.Second)
		all := svc.Operations()
		ended := running
		ended.Status, ended.End, ended.Ending = "Failed", start.Add(time.Minute), fakes.Failed
		ended.Error = fakes.Error{Code: "OperationFailed", Message: "The operation failed."}
		require.Equal(t, ended, all[0])
		require.Len(t, all, 2)
		require.Equal(t, "/widgets/w2", all[1].Path)

		time.Sleep(time.Hour)
		require.Equal(t, []fakes.Operation{svc.Operations()[0]}, svc.Operations(), "the first operation must have expired")
		require.Equal(t, "/widgets/w2", svc.Operations()[0].Path)
	})
}

// End gives an operation any terminal state, regardless of the operation's plan.
func TestEnd(t *testing.T) {
	quota := fakes.Error{Code: "QuotaExceeded", Message: "No more widgets.", Details: []fakes.Error{{Message: "Three are enough."}}}
	tests := []struct {
		ending fakes.Ending
		err    fakes.Error
		want   fakes.Error
	}{
		{fakes.Succeeded, fakes.Error{}, fakes.Error{}},
		{fakes.Failed, quota, quota},
		{fakes.Failed, fakes.Error{}, fakes.Error{Code: "OperationFailed", Message: "The operation failed."}},
		{fakes.Canceled, fakes.Error{}, fakes.Error{Code: "Canceled", Message: "The operation was canceled."}},
	}
	for _, tt := range tests {
		svc := &fakes.Service{Default: fakes.Plan{Duration: fakes.Forever, Ending: fakes.Failed}}
		c := newTester(t, svc)
		url := c.do("PUT", "/widgets/w1", "{}").header.Get("Azure-AsyncOperation")
		require.True(t, svc.End("/widgets/w1", tt.ending, tt.err))
		r := c.get(url)
		require.Equal(t, string(tt.ending), r.status())
		require.Contains(t, r.body, tt.want.Code)
		require.Equal(t, tt.want, svc.Operations()[0].Error)
		require.Equal(t, string(tt.ending), c.get("/widgets/w1").status())
		require.False(t, svc.End("/widgets/w1", fakes.Succeeded, fakes.Error{}), "an operation that has ended must not end again")
		require.Equal(t, string(tt.ending), c.get(url).status())
	}
	require.False(t, (&fakes.Service{}).End(first, fakes.Succeeded, fakes.Error{}))
}

// Forget makes an operation's URLs return 404, unless the operation is in progress.
func TestForget(t *testing.T) {
	for name, svc := range map[string]*fakes.Service{"plain": {}, "IBM": ibmcloud.New(nil)} {
		t.Run(name, func(t *testing.T) {
			svc.Default = fakes.Plan{Duration: fakes.Forever}
			c := newTester(t, svc)
			url := func(path string) string {
				header := c.do("PUT", path, "{}").header
				return header.Get("Azure-AsyncOperation") + header.Get("Location")
			}
			gone, stays := url("/v1/widgets/w1"), url("/v1/widgets/w2")
			require.False(t, svc.Forget(first))
			require.Equal(t, 200, c.get(gone).code)

			require.True(t, svc.Finish(first))
			require.True(t, svc.Forget(first))
			require.False(t, svc.Forget(first))
			require.Equal(t, 404, c.get(gone).code)
			require.Equal(t, 200, c.get(stays).code)
			require.Len(t, svc.Operations(), 1)
			require.Equal(t, 200, c.get("/v1/widgets/w1").code, "the resource must remain")
		})
	}
}

// A fault can call RequestOf before and after the service handles a request. The status code, and
// the operation that a PUT started, are known only afterward.
func TestRequestOf(t *testing.T) {
	var seen []string
	svc := &fakes.Service{}
	note := func(r *http.Request) {
		entry, _ := fakes.RequestOf(r)
		seen = append(seen, fmt.Sprintf("%s %q %d", entry.Kind, entry.Operation, entry.StatusCode))
	}
	svc.Fault(fakes.Fault{Do: func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			note(r)
			next.ServeHTTP(w, r)
			note(r)
		})
	}})
	c := newTester(t, svc)
	c.get(c.do("PUT", "/widgets/w1", "{}").header.Get("Azure-AsyncOperation"))
	require.Equal(t, []string{`Begin "" 0`, `Begin "` + first + `" 201`, `Poll "` + first + `" 0`, `Poll "` + first + `" 200`}, seen)

	_, ok := fakes.RequestOf(&http.Request{})
	require.False(t, ok)
}
