package tokens

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/transport"
)

// IBMOptions configure [IBM]. Nil and the zero value mean the defaults.
type IBMOptions struct {
	Endpoint string       // "" means "https://iam.cloud.ibm.com"
	Client   *http.Client // nil means transport.NewClient(nil), which retries while IAM throttles requests or is down
}

const (
	ibmEndpoint = "https://iam.cloud.ibm.com"
	ibmGrant    = "urn:ibm:params:oauth:grant-type:apikey"
	maxIBM      = 1 << 20 // the maximum size of a response, in bytes
)

// IBM returns a [Func] that exchanges an API key for tokens from IBM Cloud's Identity and Access
// Management (IAM Identity Services API, "Create an IAM access token for a user or service ID using
// an API key"). A token is valid for an hour. If IAM refuses the key, the error is a
// [*lroerrors.StatusError] with IAM's code and message.
func IBM(apiKey string, opts *IBMOptions) Func {
	var o IBMOptions
	if opts != nil {
		o = *opts
	}
	endpoint := strings.TrimSuffix(cmp.Or(o.Endpoint, ibmEndpoint), "/") + "/identity/token"
	if o.Client == nil {
		o.Client = transport.NewClient(nil)
	}
	form := url.Values{"grant_type": {ibmGrant}, "apikey": {apiKey}}.Encode() // sent in the body, because proxies log URLs
	return func(ctx context.Context, _ transport.TokenRequest) (transport.Token, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(form))
		if err != nil {
			return transport.Token{}, err
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Accept", "application/json")
		return exchange(o.Client, req)
	}
}

// An ibmAnswer is the body of IAM's response: a token, or an error in IAM's own format.
type ibmAnswer struct {
	AccessToken string `json:"access_token"`
	ExpiresIn   int64  `json:"expires_in"` // in seconds

	ErrorCode    string `json:"errorCode"`
	ErrorMessage string `json:"errorMessage"`
	Context      struct {
		RequestID string `json:"requestId"`
	} `json:"context"`
}

// exchange sends req and returns the token from the response.
func exchange(client *http.Client, req *http.Request) (transport.Token, error) {
	// Add expires_in to the local time at which the request is sent, so that the computed expiry is
	// never after the real one. Do not use the absolute expiry time in the response, because IAM's
	// clock may differ from the local one.
	sent := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		return transport.Token{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxIBM))
	var ans ibmAnswer
	if err == nil {
		err = json.Unmarshal(body, &ans)
	}
	if resp.StatusCode == http.StatusOK && err == nil && ans.AccessToken == "" {
		err = errors.New("the response has no access_token")
	}
	if resp.StatusCode != http.StatusOK || err != nil {
		return transport.Token{}, refused(req, resp, ans, err)
	}
	token := transport.Token{Value: ans.AccessToken}
	if ans.ExpiresIn > 0 { // without Expires, the transport uses the token until the service sends a 401
		token.Expires = sent.Add(time.Duration(ans.ExpiresIn) * time.Second)
	}
	return token, nil
}

// refused returns the error for a response without a token. The error has the status code even if
// reading the body failed.
func refused(req *http.Request, resp *http.Response, ans ibmAnswer, err error) error {
	e := &lroerrors.StatusError{
		Method: req.Method, URL: req.URL.Scheme + "://" + req.URL.Host + req.URL.Path,
		StatusCode: resp.StatusCode, RequestID: ans.Context.RequestID,
	}
	switch {
	case ans.ErrorCode != "" || ans.ErrorMessage != "":
		e.Detail = &lroerrors.Detail{Code: ans.ErrorCode, Message: ans.ErrorMessage}
	case resp.StatusCode == http.StatusOK:
		e.Err = err
	}
	return e
}
