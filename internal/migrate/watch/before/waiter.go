package before

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// WaitTable waits until a table is active, with a waiter from the service's client package.
func WaitTable(ctx context.Context, c dynamodb.DescribeTableAPIClient, name string) (*types.TableDescription, error) {
	w := dynamodb.NewTableExistsWaiter(c, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay = 5 * time.Second
		o.MaxDelay = time.Minute
		o.LogWaitAttempts = true
	})
	out, err := w.WaitForOutput(ctx, &dynamodb.DescribeTableInput{TableName: &name}, 10*time.Minute)
	if err != nil {
		return nil, err
	}
	return out.Table, nil
}
