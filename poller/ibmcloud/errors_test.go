package ibmcloud_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/ibmcloud"
)

// A failed operation reports all its errors in full, and errors.Is finds each one (API handbook,
// "Errors").
func TestFailedOperationErrors(t *testing.T) {
	const failed = `200 {"status":"failed","trace":"9daee671","errors":[
		{"code":"missing_field","message":"The name is required.","more_info":"https://docs.example.test/a","target":{"type":"field","name":"name"}},
		{"code":"reserved_value","message":"The zone is taken.","target":{"type":"parameter","name":"zone","value":"z1"}},
		{"code":"late","message":"Too late."}]}`
	synctest.Test(t, func(t *testing.T) {
		s := &service{answers: map[string][]string{create: {accepted}, ask: {failed}}}
		_, err := begin[raw](t, s, create, &poller.Options{Strategy: ibmcloud.Operation{}}).PollUntilDone(t.Context())
		op, ok := errors.AsType[*lroerrors.OperationError](err)
		require.True(t, ok)
		require.Equal(t, "9daee671", op.Detail.Trace)
		require.Equal(t, []lroerrors.Detail{
			{Code: "missing_field", Message: "The name is required.", Target: "name", MoreInfo: "https://docs.example.test/a"},
			{Code: "reserved_value", Message: "The zone is taken.", Target: "zone"},
			{Code: "late", Message: "Too late."},
		}, op.Detail.Details)
		for _, sub := range op.Detail.Unwrap() {
			require.ErrorIs(t, err, sub)
		}
	})
}

// If the service refuses a read, the StatusError's Detail contains the errors in the response.
func TestRefusedRequestErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{answers: map[string][]string{
			create: {accepted},
			ask:    {`403 {"trace":"t1","status_code":403,"errors":[{"code":"forbidden","message":"Not yours.","more_info":"https://docs.example.test/b"}]}`},
		}}
		_, err := begin[raw](t, s, create, &poller.Options{Strategy: ibmcloud.Operation{}}).PollUntilDone(t.Context())
		wait, ok := errors.AsType[*lroerrors.WaitError](err)
		require.True(t, ok)
		require.Equal(t, &lroerrors.Detail{Code: "forbidden", Message: "Not yours.", MoreInfo: "https://docs.example.test/b", Trace: "t1"}, wait.LastErr.Detail)
	})
}

// If the operation has no URL at the pointer in Target, only calls that need the result fail,
// before and after a resume.
func TestTargetMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts := &poller.Options{Strategy: ibmcloud.Operation{Target: "/widget/href"}, Origins: []string{origin}}
		s := &service{answers: map[string][]string{create: {accepted}, ask: {`200 {"id":"op-1","status":"succeeded"}`}}}
		p := begin[raw](t, s, create, opts)
		_, err := p.PollUntilDone(t.Context())
		require.IsType(t, &lroerrors.ResultError{}, err)
		require.ErrorContains(t, err, `does not name its resource at "/widget/href"`)
		require.True(t, p.Done())
		token, err := p.ResumeToken()
		require.NoError(t, err)

		p, err = poller.Resume[raw](token, s.client(), opts)
		require.NoError(t, err)
		_, err = p.Result(t.Context())
		require.IsType(t, &lroerrors.ResultError{}, err)
		require.ErrorContains(t, err, `does not name its resource at "/widget/href"`)

		none, err := poller.Resume[struct{}](token, s.client(), opts)
		require.NoError(t, err)
		_, err = none.PollUntilDone(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{create, ask}, s.requests())
	})
}
