package lroazcore_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/lroazcore"
	"github.com/lro-go/lro/transport"
)

// quick has short pauses, because the examples' services are in memory. Omit Cadence in a real
// program.
var quick = poller.Cadence{Default: time.Millisecond, Min: time.Millisecond}

// client returns an azcore ARM client whose requests go to svc.
func client(svc http.Handler) *arm.Client {
	c, err := arm.NewClient("example", "v0.1.0", &credential{}, &arm.ClientOptions{ClientOptions: policy.ClientOptions{Transport: fakes.Client(svc)}})
	if err != nil {
		log.Fatal(err)
	}
	return c
}

// An lro poller sends its requests through an azcore client's pipeline.
func ExampleDoer() {
	pl := client(&fakes.Service{}).Pipeline()
	ctx := context.Background()

	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, http.NoBody)
	if err != nil {
		log.Fatal(err)
	}
	p, err := poller.Begin[Account](req, lroazcore.Doer(pl), &poller.Options{Cadence: quick})
	if err != nil {
		log.Fatal(err)
	}
	account, err := p.PollUntilDone(ctx)
	fmt.Println(account.Name, err)
	// Output: a <nil>
}

// Start an operation with a generated client, and follow it with an lro poller.
func ExampleFollow() {
	accounts := &AccountsClient{client(&fakes.Service{})}
	ctx := context.Background()

	p, err := lroazcore.Follow(ctx, func(ctx context.Context, token string) (*runtime.Poller[ClientPutResponse], error) {
		return accounts.BeginPut(ctx, "a", &BeginOptions{ResumeToken: token})
	}, &poller.Options{Cadence: quick})
	if err != nil {
		log.Fatal(err)
	}
	for status, err := range p.Updates(ctx) {
		fmt.Println(status, err)
	}
	account, err := p.Result(ctx)
	if account.Name == "" { // Result makes only one attempt to read the result; PollUntilDone retries
		account, err = p.PollUntilDone(ctx)
	}
	fmt.Println(account.Name, err)
	// Output:
	// InProgress "Accepted" <nil>
	// InProgress "Accepted" <nil>
	// InProgress "Provisioning" <nil>
	// Succeeded <nil>
	// a <nil>
}

// In another process, resume an operation that a generated client started.
func ExampleDoerOf() {
	accounts := &AccountsClient{client(&fakes.Service{})}
	ctx := context.Background()
	begin := func(ctx context.Context, token string) (*runtime.Poller[ClientPutResponse], error) {
		return accounts.BeginPut(ctx, "a", &BeginOptions{ResumeToken: token})
	}
	p, err := lroazcore.Follow(ctx, begin, &poller.Options{Cadence: quick})
	if err != nil {
		log.Fatal(err)
	}
	token, err := p.ResumeToken() // your program would store this
	if err != nil {
		log.Fatal(err)
	}

	again, err := poller.Resume[ClientPutResponse](token, lroazcore.DoerOf(begin), &poller.Options{
		Cadence: quick,
		Origins: []string{"https://management.azure.com"},
	})
	if err != nil {
		log.Fatal(err)
	}
	account, err := again.PollUntilDone(ctx)
	fmt.Println(account.Name, err)
	// Output: a <nil>
}

// An azcore client uses lro's strategies, and its callers still get azcore's poller.
func ExampleNewPoller() {
	pl := client(&fakes.Service{}).Pipeline()
	ctx := context.Background()

	req, err := runtime.NewRequest(ctx, http.MethodPut, url)
	if err != nil {
		log.Fatal(err)
	}
	resp, err := pl.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	p, err := lroazcore.NewPoller[Account](resp, pl, &poller.Options{Cadence: quick})
	if err != nil {
		log.Fatal(err)
	}
	account, err := p.PollUntilDone(ctx, &runtime.PollUntilDoneOptions{Frequency: time.Millisecond}) // if the options are nil, Frequency is 30 s
	fmt.Println(account.Name, err)
	// Output: a <nil>
}

// A controller that has only an azcore poller gets the lro poller behind it, reads the status once,
// and learns when to read again.
func ExampleOf() {
	pl := client(&fakes.Service{Default: fakes.Plan{RetryAfter: time.Minute}}).Pipeline()
	ctx := context.Background()
	req, err := runtime.NewRequest(ctx, http.MethodPut, url)
	if err != nil {
		log.Fatal(err)
	}
	resp, err := pl.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	theirs, err := lroazcore.NewPoller[Account](resp, pl, nil)
	if err != nil {
		log.Fatal(err)
	}

	p, err := lroazcore.Of(theirs)
	if err != nil {
		log.Fatal(err)
	}
	status, err := p.Poll(ctx)
	fmt.Println(status, err)
	fmt.Println("again in", time.Until(p.NextPoll()).Round(time.Minute))
	// Output:
	// InProgress "Accepted" <nil>
	// again in 1m0s
}

// FollowPoller returns azcore's poller with lro's strategies. Of returns the lro poller behind it,
// which knows when to read again.
func ExampleFollowPoller() {
	accounts := &AccountsClient{client(&fakes.Service{Default: fakes.Plan{RetryAfter: time.Minute}})}
	ctx := context.Background()

	var p *runtime.Poller[ClientPutResponse]
	p, err := lroazcore.FollowPoller(ctx, func(ctx context.Context, token string) (*runtime.Poller[ClientPutResponse], error) {
		return accounts.BeginPut(ctx, "a", &BeginOptions{ResumeToken: token})
	}, nil)
	if err != nil {
		log.Fatal(err)
	}

	ours, err := lroazcore.Of(p)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ours.Status())
	fmt.Println("again in", time.Until(ours.NextPoll()).Round(time.Minute))
	// Output:
	// InProgress "Accepted"
	// again in 1m0s
}

// A caller with only an azcore error finds out why the wait ended, and gets the token.
func ExampleErrorOf() {
	svc := &fakes.Service{}
	svc.Fault(fakes.Fault{Kind: fakes.Poll, Do: fakes.Status(http.StatusForbidden)})
	accounts := &AccountsClient{client(svc)}
	ctx := context.Background()
	p, err := lroazcore.FollowPoller(ctx, func(ctx context.Context, token string) (*runtime.Poller[ClientPutResponse], error) {
		return accounts.BeginPut(ctx, "a", &BeginOptions{ResumeToken: token})
	}, nil)
	if err != nil {
		log.Fatal(err)
	}

	_, err = p.PollUntilDone(ctx, nil)
	_, isTheirs := err.(*azcore.ResponseError) //nolint:errorlint // the error is not wrapped
	fmt.Println(isTheirs, poller.Classify(lroazcore.ErrorOf(err)))
	if wait, ok := errors.AsType[*lroerrors.WaitError](lroazcore.ErrorOf(err)); ok {
		_, err := wait.ResumeToken()
		fmt.Println(wait.Reason, err)
	}
	// Output:
	// true stuck
	// Refused <nil>
}

// Convert an lro error for code that checks for azcore's error type.
func ExampleResponseError() {
	svc := &fakes.Service{Default: fakes.Plan{Ending: fakes.Failed, Error: fakes.Error{Code: "QuotaExceeded", Message: "No more accounts."}}}
	ctx := context.Background()
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, http.NoBody)
	if err != nil {
		log.Fatal(err)
	}
	p, err := poller.Begin[Account](req, lroazcore.Doer(client(svc).Pipeline()), &poller.Options{Cadence: quick})
	if err != nil {
		log.Fatal(err)
	}

	_, err = p.PollUntilDone(ctx)
	err = lroazcore.ResponseError(err)
	if failed, ok := err.(*azcore.ResponseError); ok { //nolint:errorlint // the error is not wrapped; errors.As works, too
		fmt.Println(failed.StatusCode, failed.ErrorCode, failed.RawResponse.Request.Host)
	}
	// Output: 200 QuotaExceeded management.azure.com
}

// A Watch calls a typed client's Get method until the resource is complete. With StatusOf, it
// tolerates a 404.
func ExampleStatusOf() {
	reads := 0
	get := func(context.Context) (Account, error) { // stands in for the client's Get method
		if reads++; reads == 1 {
			return Account{}, &azcore.ResponseError{StatusCode: http.StatusNotFound}
		}
		return Account{Name: "a"}, nil
	}
	p := poller.Watch(get, poller.Until(func(a Account) bool { return a.Name != "" }), &poller.WatchOptions{
		StatusOf: lroazcore.StatusOf,
		Cadence:  quick,
	})
	account, err := p.PollUntilDone(context.Background())
	fmt.Println(account.Name, err)
	// Output: a <nil>
}

// The lro transport gets its tokens from an azcore credential, such as one from azidentity.
func ExampleToken() {
	var cred azcore.TokenCredential = &credential{}
	show := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println(r.Header.Get("Authorization"))
	})
	c := transport.NewClient(&transport.Options{
		Base:  &fakes.Transport{Handler: show},
		Token: lroazcore.Token(cred, &lroazcore.TokenOptions{TenantID: "contoso.onmicrosoft.com"}),
	})
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, http.NoBody)
	if err != nil {
		log.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	// Output: Bearer token-1
}
