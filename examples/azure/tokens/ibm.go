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

// IBMOptions are those of [IBM]. The zero IBMOptions, and nil, are the defaults.
type IBMOptions struct {
	Endpoint string       // "https://iam.cloud.ibm.com"
	Client   *http.Client // transport.NewClient(nil), which asks again where IAM is throttled or down
}

const (
	ibmEndpoint = "https://iam.cloud.ibm.com"
	ibmGrant    = "urn:ibm:params:oauth:grant-type:apikey"
	maxIBM      = 1 << 20 // of an answer; a token is some kilobytes
)

// IBM exchanges an API key for tokens of IBM Cloud's Identity and Access Management
// (IAM Identity Services API, "Create an IAM access token for a user or service ID
// using an API key"). They live for an hour. Where IAM refuses, the error is a
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
	form := url.Values{"grant_type": {ibmGrant}, "apikey": {apiKey}}.Encode() // in the body: queries are logged
	return func(ctx context.Context) (string, time.Time, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(form))
		if err != nil {
			return "", time.Time{}, err
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Accept", "application/json")
		return exchange(o.Client, req)
	}
}

// An ibmAnswer is what IAM answers: a token, or an error of its own form.
type ibmAnswer struct {
	AccessToken string `json:"access_token"`
	ExpiresIn   int64  `json:"expires_in"` // seconds

	ErrorCode    string `json:"errorCode"`
	ErrorMessage string `json:"errorMessage"`
	Context      struct {
		RequestID string `json:"requestId"`
	} `json:"context"`
}

func exchange(client *http.Client, req *http.Request) (string, time.Time, error) {
	// By our clock, and from before the request. IAM tells the time of expiry by its
	// clock, too, which may not agree with ours.
	asked := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		return "", time.Time{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxIBM))
	var ans ibmAnswer
	if err == nil {
		err = json.Unmarshal(body, &ans)
	}
	if resp.StatusCode == http.StatusOK && err == nil && ans.AccessToken == "" {
		err = errors.New("the answer has no access_token")
	}
	if resp.StatusCode != http.StatusOK || err != nil {
		return "", time.Time{}, refused(req, resp, ans, err)
	}
	if ans.ExpiresIn <= 0 {
		return ans.AccessToken, time.Time{}, nil // it did not say: until a 401
	}
	return ans.AccessToken, asked.Add(time.Duration(ans.ExpiresIn) * time.Second), nil
}

// refused is the error of an answer without a token. The status survives whatever the
// body is.
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
