package fakes_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
)

// With KeepOperations, the service forgets the operations that ended longest ago. It never forgets
// an operation in progress and never reuses an ID.
func TestKeepOperations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{KeepOperations: 2, Default: fakes.Plan{Duration: time.Minute}}
		svc.Plan(fakes.Plan{Path: "/widgets/slow", Duration: time.Hour})
		c := newTester(t, svc)
		begin := func(path string) string { return c.do("PUT", path, "{}").header.Get("Azure-AsyncOperation") }
		slow := begin("/widgets/slow")
		var urls []string
		for i := range 5 {
			urls = append(urls, begin(fmt.Sprintf("/widgets/w%d", i)))
			time.Sleep(time.Minute)
			require.Contains(t, c.get(urls[i]).body, "Succeeded")
		}
		last := begin("/widgets/last") // the service forgets old operations when a new one starts
		require.NotContains(t, append(urls, slow), last)
		for i, url := range urls {
			want := 404
			if i >= 3 {
				want = 200
			}
			require.Equal(t, want, c.get(url).code, "operation %d", i)
			require.Contains(t, c.get(fmt.Sprintf("/widgets/w%d", i)).body, "Succeeded", "the resource must remain")
		}
		require.Equal(t, 200, c.get(slow).code)
		require.Equal(t, 409, c.do("PUT", "/widgets/slow", "{}").code)
	})
}

// If a deletion ends while the service builds a page, the listing still contains all other
// resources.
func TestListDuringDeletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{PageSize: 2, Default: fakes.Plan{Duration: time.Minute}}
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			svc.Put("/widgets/"+name, struct{}{})
		}
		c := newTester(t, svc)
		require.Equal(t, 202, c.do("DELETE", "/widgets/b", "").code)
		time.Sleep(time.Minute)
		require.Equal(t, "[[a c] [d e]]", fmt.Sprint(pagesOf(c, "/widgets")))
	})
}
