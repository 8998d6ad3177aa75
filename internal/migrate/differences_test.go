package migrate

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/fake"
	"github.com/hashicorp/go-azure-sdk/sdk/environments"
	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	azafter "github.com/lro-go/lro/internal/migrate/azcore/after"
	hcafter "github.com/lro-go/lro/internal/migrate/goazuresdk/after"
	hcbefore "github.com/lro-go/lro/internal/migrate/goazuresdk/before"
	"github.com/lro-go/lro/internal/migrate/widgets"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// The tests in this file check statements in the guides that no pair demonstrates.

// TestOutage checks that an outage that lasts longer than the retries of azcore's pipeline ends
// azcore's wait but not ours.
func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outage := func() *fakes.Service {
			svc := &fakes.Service{}
			svc.Fault(fakes.Fault{Kind: fakes.Poll, Times: 12, Do: fakes.Status(http.StatusServiceUnavailable)})
			return svc
		}
		_, err := azcoreClient(outage()).Create(t.Context(), "alpha", widgets.Of(1))
		require.ErrorContains(t, err, "RESPONSE 503")
		_, err = ourClient(outage()).Create(t.Context(), "alpha", widgets.Of(1))
		require.NoError(t, err)
	})
}

// TestWords checks what happens if a service has its own word for success. azcore treats the word
// as in progress; our poller recognizes it if Words defines it.
func TestWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{Default: fakes.Plan{EndWord: "Ready"}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, err := azcoreClient(svc).Create(ctx, "alpha", widgets.Of(1))
		require.Equal(t, context.DeadlineExceeded, err)
		ours := azafter.NewClient(host, &fake.TokenCredential{}, &transport.Options{Base: &fakes.Transport{Handler: svc}},
			&poller.Options{Words: map[string]poller.State{"Ready": poller.Succeeded}})
		_, err = ours.Create(t.Context(), "beta", widgets.Of(1))
		require.NoError(t, err)
	})
}

// TestCommonWords checks that azcore and our poller recognize Cancelled and Completed in a status
// document, and that go-azure-sdk treats both words as in progress.
func TestCommonWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		create := func(ctx context.Context, c *hcbefore.Client) error {
			return c.CreateThenPoll(ctx, "alpha", widgets.Of(1))
		}

		canceled := &fakes.Service{Default: fakes.Plan{Ending: fakes.Canceled, EndWord: "Cancelled"}}
		endless(t, canceled, create)
		_, err := azcoreClient(canceled).Create(t.Context(), "beta", widgets.Of(1))
		require.ErrorContains(t, err, "Canceled")
		_, err = ourClient(canceled).Create(t.Context(), "gamma", widgets.Of(1))
		require.ErrorIs(t, err, lroerrors.ErrCanceled)

		completed := &fakes.Service{Default: fakes.Plan{EndWord: "Completed"}}
		endless(t, completed, create)
		_, err = azcoreClient(completed).Create(t.Context(), "beta", widgets.Of(1))
		require.NoError(t, err)
		_, err = ourClient(completed).Create(t.Context(), "gamma", widgets.Of(1))
		require.NoError(t, err)
	})
}

// TestStatusGone checks what happens if the status URL always returns 404. go-azure-sdk treats this
// as in progress; our wait ends with ReasonGone.
func TestStatusGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := &fakes.Service{}
		svc.Fault(fakes.Fault{Kind: fakes.Poll, Do: fakes.Status(http.StatusNotFound)})
		endless(t, svc, func(ctx context.Context, c *hcbefore.Client) error {
			return c.CreateThenPoll(ctx, "alpha", widgets.Of(1))
		})
		_, err := ourClient(svc).Create(t.Context(), "beta", widgets.Of(1))
		wait, ok := errors.AsType[*lroerrors.WaitError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, lroerrors.ReasonGone, wait.Reason)
	})
}

// TestLargeNumbers checks that go-azure-sdk changes large numbers in a listing of several pages,
// because it decodes them as float64, and that our pager does not.
func TestLargeNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const large = 1<<53 + 1
		svc := &fakes.Service{PageSize: 1}
		svc.Put(widgets.Collection+"/alpha", widgets.Of(large))
		svc.Put(widgets.Collection+"/beta", widgets.Of(large))
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()

		all, err := goAzureSDKClient(t, svc).ListComplete(ctx, hcbefore.Predicate{})
		require.NoError(t, err)
		require.Equal(t, large-1, all[0].Properties.Size)

		ours, err := hcafter.NewClient(environments.NewApiEndpoint("widgets", host, nil), credential{},
			&transport.Options{Base: &fakes.Transport{Handler: svc}}, nil)
		require.NoError(t, err)
		all, err = ours.ListComplete(ctx, large)
		require.NoError(t, err)
		require.Len(t, all, 2)
	})
}

// TestFailedPage checks that a failed read of a page ends azcore's pager, and that our pager can
// read the page again.
func TestFailedPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stock := func() *fakes.Service {
			svc := stocked(fakes.Fault{Kind: fakes.List, Nth: 2, Do: fakes.Status(http.StatusForbidden)})()
			return svc.(*fakes.Service)
		}
		theirs := azcoreClient(stock()).NewListPager()
		_, err := theirs.NextPage(t.Context())
		require.NoError(t, err)
		for range 2 {
			_, err = theirs.NextPage(t.Context())
			require.ErrorContains(t, err, "RESPONSE 403")
			require.False(t, theirs.More())
		}

		ours, err := ourClient(stock()).List(t.Context())
		require.NoError(t, err)
		_, err = ours.NextPage(t.Context())
		require.NoError(t, err)
		_, err = ours.NextPage(t.Context())
		require.Error(t, err)
		require.True(t, ours.More())
		page, err := ours.NextPage(t.Context())
		require.NoError(t, err)
		require.Equal(t, "delta", page.Items[0].Name)
	})
}

// TestRepeatedLink checks what happens if the next link of a page leads to the page itself.
// azcore's pager follows the link endlessly; our pager returns ErrRepeatedLink.
func TestRepeatedLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stock := func() *fakes.Service {
			svc := stocked()().(*fakes.Service)
			svc.Listing(fakes.Listing{Repeat: 2})
			return svc
		}
		theirs := azcoreClient(stock()).NewListPager()
		for range 100 {
			_, err := theirs.NextPage(t.Context())
			require.NoError(t, err)
			require.True(t, theirs.More())
		}
		_, err := ourClient(stock()).Names(t.Context())
		require.ErrorIs(t, err, lroerrors.ErrRepeatedLink)
	})
}
