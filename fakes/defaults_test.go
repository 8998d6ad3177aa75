package fakes_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/internal/house"
)

// Setting a number or a duration to its documented default gives the same responses as leaving the
// field unset.
func TestDefaults(t *testing.T) {
	responses := func(svc *fakes.Service, l fakes.Listing) (all []string) {
		synctest.Test(t, func(t *testing.T) {
			svc.Listing(l)
			c := newTester(t, svc)
			for _, request := range []string{
				"PUT " + widget, "GET " + statusURL, "GET " + widget, "GET " + statusURL, "GET " + statusURL, "GET " + statusURL,
				"DELETE " + widget, "PUT " + widget + "2", "PUT " + widget + "3", "GET " + scope + "/widgets",
			} {
				var method, url string
				_, err := fmt.Sscan(request, &method, &url)
				require.NoError(t, err)
				time.Sleep(time.Hour)
				r := c.do(method, url, "{}")
				all = append(all, fmt.Sprint(request, r.code, r.header, r.body))
			}
			all = append(all, fmt.Sprint(len(svc.Requests())))
		})
		return all
	}
	zero := responses(&fakes.Service{}, fakes.Listing{})
	house.EachDefault(t, ".", func(name string, svc *fakes.Service) {
		require.Equal(t, zero, responses(svc, fakes.Listing{}), name)
	})
	house.EachDefault(t, ".", func(name string, l *fakes.Listing) {
		require.Equal(t, zero, responses(&fakes.Service{}, *l), name)
	})
	for _, ending := range []fakes.Ending{fakes.Succeeded, fakes.Failed} {
		for _, style := range []fakes.Style{0, fakes.Synchronous} {
			plan := fakes.Plan{Ending: ending, Style: style}
			zero := responses(&fakes.Service{Default: plan}, fakes.Listing{})
			house.EachDefault(t, ".", func(name string, p *fakes.Plan) {
				p.Ending = ending
				p.Style = style
				require.Equal(t, zero, responses(&fakes.Service{Default: *p}, fakes.Listing{}), name)
			})
		}
	}
}
