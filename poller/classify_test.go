package poller_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/transport"
)

func TestClassify(t *testing.T) {
	status := func(method string, code int) error {
		return &lroerrors.StatusError{Method: method, StatusCode: code}
	}
	for name, tt := range map[string]struct {
		err     error
		verdict poller.Verdict
		started bool
	}{
		"nil":                {nil, "", false},
		"failed":             {&lroerrors.OperationError{State: poller.Failed}, poller.Ended, true},
		"result":             {&lroerrors.ResultError{Err: status("GET", 404)}, poller.Ended, true},
		"deadline":           {&lroerrors.WaitError{Reason: lroerrors.ReasonDeadline}, poller.Later, true},
		"canceled":           {&lroerrors.WaitError{Reason: lroerrors.ReasonCanceled}, poller.Later, true},
		"patience":           {&lroerrors.WaitError{Reason: lroerrors.ReasonPatience}, poller.Later, true},
		"refused":            {&lroerrors.WaitError{Reason: lroerrors.ReasonRefused}, poller.Stuck, true},
		"gone":               {&lroerrors.WaitError{Reason: lroerrors.ReasonGone}, poller.Stuck, true},
		"unfollowable poll":  {&lroerrors.WaitError{Reason: lroerrors.ReasonUnfollowable, Polls: 1, LastErr: &lroerrors.StatusError{Method: "GET", StatusCode: 200}}, poller.Stuck, true},
		"not done":           {lroerrors.ErrNotDone, poller.Later, false},
		"bad token":          {lroerrors.ErrBadToken, poller.Stuck, false},
		"newer token":        {lroerrors.ErrNewerToken, poller.Stuck, false},
		"context":            {context.Canceled, poller.Later, false},
		"unknown":            {io.EOF, poller.Stuck, false},
		"failed read":        {status("GET", 404), poller.Later, false},
		"read of a Watch":    {status("", 404), poller.Later, false},
		"read with 408":      {status("GET", 408), poller.Later, false},
		"read with 503":      {status("GET", 503), poller.Later, false},
		"write with 400":     {status("PUT", 400), poller.Stuck, false},
		"write with 404":     {status("DELETE", 404), poller.Stuck, false},
		"write with 408":     {status("PUT", 408), poller.Later, true},
		"write with 409":     {status("PUT", 409), poller.Later, false},
		"write with 429":     {status("POST", 429), poller.Later, false},
		"write with 500":     {status("POST", 500), poller.Later, true},
		"write with 203":     {status("POST", 203), poller.Stuck, true},
		"redirected write":   {status("POST", 302), poller.Stuck, false},
		"lost response":      {&lroerrors.StatusError{Method: "POST", Err: io.EOF}, poller.Later, true},
		"unanswered":         {&lroerrors.StatusError{Method: "PUT", StatusCode: 409, Unanswered: true}, poller.Later, true},
		"no connection":      {&lroerrors.StatusError{Method: "PUT", Err: &net.OpError{Op: "dial", Err: io.EOF}}, poller.Later, false},
		"certificate":        {&lroerrors.StatusError{Method: "PUT", Err: x509.UnknownAuthorityError{}}, poller.Stuck, false},
		"not sent":           {&lroerrors.StatusError{Method: "PUT", Err: lroerrors.ErrNotSent}, poller.Later, false},
		"reported by lro":    {&lroerrors.StatusError{Method: "PUT", Attempts: 2, Err: io.EOF}, poller.Later, false},
		"cause of a context": {&lroerrors.WaitError{Reason: lroerrors.ReasonCanceled, Err: &lroerrors.OperationError{State: poller.Failed}}, poller.Later, true},
	} {
		require.Equal(t, tt.verdict, poller.Classify(tt.err), name)
		require.Equal(t, tt.started, poller.MayHaveStarted(tt.err), name)
		if tt.err != nil {
			require.Equal(t, tt.verdict, poller.Classify(fmt.Errorf("widget: %w", tt.err)), name)
			require.Equal(t, tt.started, poller.MayHaveStarted(errors.Join(io.EOF, tt.err)), name)
		}
	}
}

// The errors in this test come from Begin, New and Resume. For Begin, the results of Classify and
// MayHaveStarted may depend on whether the request was a GET, which starts no operation.
func TestClassifyByOrigin(t *testing.T) {
	const foreign = "202\nAzure-AsyncOperation: https://elsewhere.test/op"
	begins := func(method, response string, opts *poller.Options) error {
		s := serve(map[string][]reply{method + " " + resource: {response}})
		_, err := poller.Begin[raw](newRequest(t, method, resource), s.client(), opts)
		return err
	}
	byURL := &poller.Options{Strategy: arm.ProvisioningState}
	invalid := &poller.Options{ResultPointer: "x"}
	resumed := func(token string, opts *poller.Options) error {
		_, err := poller.Resume[raw](token, nil, opts)
		return err
	}
	for name, tt := range map[string]struct {
		err     error
		verdict poller.Verdict
		started bool
	}{
		"Begin: HTML for a POST":        {begins("POST", "200 <html>", nil), poller.Stuck, true},
		"Begin: HTML for a GET":         {begins("GET", "200 <html>", byURL), poller.Later, false},
		"Begin: foreign URL":            {begins("PUT", foreign, nil), poller.Stuck, true},
		"Begin: GET with a foreign URL": {begins("GET", foreign, &poller.Options{Strategy: arm.AsyncOperation}), poller.Stuck, false},
		"Begin: other protocol":         {begins("PUT", "202", &poller.Options{Strategy: arm.Location}), poller.Stuck, true},
		"Begin: 404 for a GET":          {begins("GET", "404", byURL), poller.Later, false},
		"Begin: invalid options":        {begins("PUT", accepted, invalid), poller.Stuck, false},
		"New: no response":              {second(poller.New[raw](nil, nil, nil)), poller.Stuck, false},
		"New: no request":               {second(poller.New[raw](&http.Response{StatusCode: 202}, nil, nil)), poller.Stuck, true},
		"Begin: no request":             {second(poller.Begin[raw](nil, nil, nil)), poller.Stuck, false},
		"Resume: invalid options":       {resumed(`{}`, invalid), poller.Stuck, false},
		"Resume: broken token":          {resumed(`{"lro":1`, trusted), poller.Stuck, false},
		"Resume: newer token":           {resumed(`{"lro":2,"phase":7}`, trusted), poller.Stuck, false},
	} {
		require.Error(t, tt.err, name)
		require.Equal(t, tt.verdict, poller.Classify(tt.err), "%s: %v", name, tt.err)
		require.Equal(t, tt.started, poller.MayHaveStarted(tt.err), "%s: %v", name, tt.err)
	}
	require.ErrorIs(t, resumed(`{"lro":2,"phase":7}`, trusted), lroerrors.ErrNewerToken)
	require.NotErrorIs(t, resumed(`{"lro":2,"phase":7}`, trusted), lroerrors.ErrBadToken)
}

// If Begin gets no response, an operation may have started, unless package transport had no
// credential and therefore never sent the request.
func TestNotSent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		svc := &fakes.Service{}
		noToken := transport.NewClient(&transport.Options{
			Base: fakes.Client(svc).Transport,
			Token: func(context.Context, transport.TokenRequest) (transport.Token, error) {
				return transport.Token{}, io.EOF
			},
		})
		_, err := poller.Begin[raw](newRequest(t, "PUT", resource), noToken, nil)
		require.ErrorIs(t, err, lroerrors.ErrNotSent)
		require.False(t, poller.MayHaveStarted(err))
		require.Equal(t, poller.Later, poller.Classify(err))
		require.Empty(t, svc.Requests())

		svc.Fault(fakes.Fault{Do: fakes.Drop(), Times: -1})
		_, err = poller.Begin[raw](newRequest(t, "PUT", resource), fakes.Client(svc), nil)
		require.NotErrorIs(t, err, lroerrors.ErrNotSent)
		require.True(t, poller.MayHaveStarted(err), "%v", err)
	})
}

func second[T any](_ *poller.Poller[T], err error) error { return err }
