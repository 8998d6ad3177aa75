package features

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	azsdk "github.com/Azure/azure-sdk-for-go/sdk/azcore"
	armpolicy "github.com/Azure/azure-sdk-for-go/sdk/azcore/arm/policy"
	armruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/arm/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/hashicorp/go-azure-sdk/sdk/auth"
	"github.com/hashicorp/go-azure-sdk/sdk/client"
	"github.com/hashicorp/go-azure-sdk/sdk/client/pollers"
	"github.com/hashicorp/go-azure-sdk/sdk/client/resourcemanager"
	"github.com/hashicorp/go-azure-sdk/sdk/environments"
	"golang.org/x/oauth2"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// followed is the outcome of a wait.
type followed struct {
	*scripted
	result string // the name of the widget
	err    error
	took   time.Duration
}

// endless reports whether the script had to end the wait because the subject would have waited
// forever.
func (o followed) endless() bool { return len(o.asked) > enough }

// follow starts a script's operation and has a subject follow it to the end.
func follow(t *testing.T, subject string, of script) followed {
	t.Helper()
	return followWith(t, followers[subject], of)
}

// A follower starts a script's operation and follows it to its result.
type follower func(context.Context, *scripted) (result string, err error)

func followWith(t *testing.T, with follower, of script) followed {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 96*time.Hour)
	defer cancel()
	o := followed{scripted: played(of)}
	o.result, o.err = with(ctx, o.scripted)
	o.took = time.Since(o.began)
	return o
}

var followers = map[string]follower{azcore: azcoreFollows(nil), hashicorp: hashicorpFollows, lro: lroFollows(nil)}

// azcoreFollows returns a follower that behaves like a user of a generated client. If retries is
// nil, azcore uses its default retry options.
func azcoreFollows(retries *policy.RetryOptions) follower {
	return func(ctx context.Context, s *scripted) (string, error) {
		if retries != nil {
			ctx = policy.WithRetryOptions(ctx, *retries)
		}
		p, err := azcoreBegins[widget](ctx, s, nil)
		if err != nil {
			return "", err
		}
		w, err := p.PollUntilDone(ctx, nil)
		return w.Name, err
	}
}

// waiter starts the operation of s and returns its poller's PollUntilDone method, which may be
// called several times.
func waiter(t *testing.T, subject string, s *scripted, opts *poller.Options) func(context.Context) error {
	t.Helper()
	switch subject {
	case azcore:
		p, err := azcoreBegins[widget](t.Context(), s, nil)
		must(t, err)
		return func(ctx context.Context) error { _, err := p.PollUntilDone(ctx, nil); return err }
	case hashicorp:
		p, _, err := hashicorpBegins(deadline(t), s)
		must(t, err)
		return p.PollUntilDone
	default:
		p, err := lroBegins[widget](t.Context(), s, opts)
		must(t, err)
		return func(ctx context.Context) error { _, err := p.PollUntilDone(ctx); return err }
	}
}

func hashicorpFollows(ctx context.Context, s *scripted) (string, error) {
	p, c, err := hashicorpBegins(ctx, s)
	if err != nil {
		return "", err
	}
	if err := p.PollUntilDone(ctx); err != nil {
		return "", err
	}
	return hashicorpResult(ctx, s, &p, c)
}

func lroFollows(opts *poller.Options) follower {
	return func(ctx context.Context, s *scripted) (string, error) {
		p, err := lroBegins[widget](ctx, s, opts)
		if err != nil {
			return "", err
		}
		w, err := p.PollUntilDone(ctx)
		return w.Name, err
	}
}

// azcorePipeline returns a generated client's pipeline for Azure Resource Manager, with additional
// policies.
func azcorePipeline(s http.RoundTripper, more ...policy.Policy) (azruntime.Pipeline, error) {
	return armruntime.NewPipeline("bench", "v1", &credential{}, azruntime.PipelineOptions{}, &armpolicy.ClientOptions{
		ClientOptions: policy.ClientOptions{Transport: &http.Client{Transport: s}, PerCallPolicies: more},
	})
}

// azcoreBegins does what a generated client's Begin method does.
func azcoreBegins[T any](ctx context.Context, s *scripted, opts *azruntime.NewPollerOptions[T]) (*azruntime.Poller[T], error) {
	return azcoreBeginsThrough(ctx, s, opts)
}

// azcoreBeginsThrough is azcoreBegins with additional policies in the pipeline.
func azcoreBeginsThrough[T any](ctx context.Context, s *scripted, opts *azruntime.NewPollerOptions[T], more ...policy.Policy) (*azruntime.Poller[T], error) {
	pl, err := azcorePipeline(s, more...)
	if err != nil {
		return nil, err
	}
	method, path := s.script.begins()
	ctx = context.WithValue(ctx, azruntime.CtxAPINameKey{}, "WidgetsClient.Begin")
	req, err := azruntime.NewRequest(ctx, method, arm+path+version)
	if err != nil {
		return nil, err
	}
	resp, err := pl.Do(req) //nolint:bodyclose // the pipeline has read the body
	if err != nil {
		return nil, err
	}
	if !azruntime.HasStatusCode(resp, http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent) {
		return nil, azruntime.NewResponseError(resp)
	}
	return azruntime.NewPoller(resp, pl, opts)
}

// hashicorpManager returns go-azure-sdk's client for Azure Resource Manager, with its token cache.
func hashicorpManager(s http.RoundTripper) (*resourcemanager.Client, error) {
	c, err := resourcemanager.NewClient(environments.NewApiEndpoint("bench", arm, nil), "bench", "2026-01-01")
	if err != nil {
		return nil, err
	}
	c.Authorizer, err = auth.NewCachedAuthorizer(&credential{})
	c.SetTransport(s)
	return c, err
}

// hashicorpBegins starts an operation as a generated client of go-azure-sdk does.
func hashicorpBegins(ctx context.Context, s *scripted) (pollers.Poller, *resourcemanager.Client, error) {
	c, err := hashicorpManager(s)
	if err != nil {
		return pollers.Poller{}, nil, err
	}
	method, path := s.script.begins()
	resp, err := hashicorpSends(ctx, c, method, path)
	if err != nil {
		return pollers.Poller{}, nil, err
	}
	p, err := resourcemanager.PollerFromResponse(resp, c)
	return p, c, err
}

func hashicorpSends(ctx context.Context, c *resourcemanager.Client, method, path string) (*client.Response, error) {
	req, err := c.NewRequest(ctx, client.RequestOptions{
		ContentType: "application/json; charset=utf-8", HttpMethod: method, Path: path,
		ExpectedStatusCodes: []int{http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent},
	})
	if err != nil {
		return nil, err
	}
	return req.Execute(ctx)
}

// hashicorpResult gets the result as users of go-azure-sdk do: with a GET after a PUT or PATCH, and
// otherwise from the last response.
func hashicorpResult(ctx context.Context, s *scripted, p *pollers.Poller, c *resourcemanager.Client) (string, error) {
	var w widget
	method, path := s.script.begins()
	if method != http.MethodPut && method != http.MethodPatch {
		return w.Name, p.FinalResult(&w)
	}
	resp, err := hashicorpSends(ctx, c, http.MethodGet, path)
	if err != nil {
		return "", err
	}
	err = resp.Unmarshal(&w)
	return w.Name, err
}

// lroBegins calls poller.Begin with a client from package transport.
func lroBegins[T any](ctx context.Context, s *scripted, opts *poller.Options) (*poller.Poller[T], error) {
	method, path := s.script.begins()
	req, err := http.NewRequestWithContext(ctx, method, arm+path+version, http.NoBody)
	if err != nil {
		return nil, err
	}
	return poller.Begin[T](req, lroClient(s), opts)
}

func lroClient(s http.RoundTripper) *http.Client {
	c := &credential{}
	return transport.NewClient(&transport.Options{Base: s, Token: func(_ context.Context, r transport.TokenRequest) (transport.Token, error) {
		return transport.Token{Value: c.issue(r.Claims), Expires: time.Now().Add(time.Hour)}, nil
	}})
}

// A credential issues the tokens secret-1, secret-2 and so on, each valid for an hour. All subjects
// can use it.
type credential struct{ issued int }

// demanded is the JSON of the claims that the service requires in a token.
const demanded = `{"access_token":{"nbf":{"value":"1"}}}`

func (c *credential) issue(claims string) string {
	c.issued++
	token := fmt.Sprintf("secret-%d", c.issued)
	if claims == demanded {
		token += "-with-claims"
	}
	return token
}

func (c *credential) GetToken(_ context.Context, opts policy.TokenRequestOptions) (azsdk.AccessToken, error) {
	return azsdk.AccessToken{Token: c.issue(opts.Claims), ExpiresOn: time.Now().Add(time.Hour)}, nil
}

func (c *credential) Token(context.Context, *http.Request) (*oauth2.Token, error) {
	return &oauth2.Token{AccessToken: c.issue(""), Expiry: time.Now().Add(time.Hour)}, nil
}

func (c *credential) AuxiliaryTokens(context.Context, *http.Request) ([]*oauth2.Token, error) {
	return nil, nil
}
