package after

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// WaitTable waits until a table is active.
func WaitTable(ctx context.Context, c dynamodb.DescribeTableAPIClient, name string) (*types.TableDescription, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	get := func(ctx context.Context) (*types.TableDescription, error) {
		out, err := c.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
		if _, missing := errors.AsType[*types.ResourceNotFoundException](err); missing {
			return nil, nil // means "not found" to Watch; the error itself has the status code 400, not 404
		}
		if err != nil {
			return nil, err
		}
		return out.Table, nil
	}
	word := func(t *types.TableDescription) string { return string(t.TableStatus) }
	return poller.Watch(get, poller.Words(word, map[string]poller.State{"ACTIVE": poller.Succeeded}), &poller.WatchOptions{
		Name:       name,
		Cadence:    poller.Cadence{First: 5 * time.Second, Default: time.Minute},
		NotFoundIs: poller.InProgress,
		StatusOf:   statusOf,
		Logger:     slog.Default(),
	}).PollUntilDone(ctx)
}

// statusOf returns the status code of an AWS error. It returns 429 for throttling, which some
// services report with a 400.
func statusOf(err error) *lroerrors.StatusError {
	if retry.IsErrorThrottles(retry.DefaultThrottles).IsErrorThrottle(err).Bool() {
		return &lroerrors.StatusError{StatusCode: http.StatusTooManyRequests}
	}
	if refused, ok := errors.AsType[*smithyhttp.ResponseError](err); ok {
		return &lroerrors.StatusError{StatusCode: refused.HTTPStatusCode()}
	}
	return nil
}
