package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// create asks for a notification. The poller would ask once a minute; it is woken
// when the cluster is there.
func (d *demo) create(ctx context.Context) error {
	req, err := d.request(ctx, http.MethodPut, "blue", `{"location": "westeurope", "tags": {"team": "one"}}`)
	if err != nil {
		return err
	}
	uri := d.receiver.uri(1)
	req.Header.Set("Azure-AsyncNotificationUri", uri)
	resp, err := d.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	p, err := poller.New[cluster](resp, d.client, nil)
	if err != nil {
		return err
	}
	d.printf("notifications: %s", resp.Header.Get("Azure-AsyncNotification"))
	d.receiver.expect(uri, p.WakeUp)
	start := time.Now()
	c, err := d.follow(ctx, "blue", p)
	if err != nil {
		return err
	}
	d.printf("result: %s, %s, long before the minute was over: %t", c.Name, c.Properties.ProvisioningState, time.Since(start) < 30*time.Second)
	return nil
}

// update is a PATCH, which this service answers 202 with a body. That body is no
// result.
func (d *demo) update(ctx context.Context) error {
	p, err := d.begin(ctx, http.MethodPatch, "blue", `{"tags": {"team": "two"}}`, options())
	if err != nil {
		return err
	}
	c, err := d.follow(ctx, "blue", p)
	if err != nil {
		return err
	}
	d.printf("result: %s of team %s", c.Name, c.Tags["team"])
	return nil
}

// fail shows the error of the status. The URL of the result would answer 500.
func (d *demo) fail(ctx context.Context) error {
	p, err := d.begin(ctx, http.MethodPut, "too-many", `{}`, options())
	if err != nil {
		return err
	}
	_, err = d.follow(ctx, "too-many", p)
	operation, ok := errors.AsType[*lroerrors.OperationError](err)
	if !ok {
		return err
	}
	d.printf("error: %s", operation.Detail)
	for _, detail := range operation.Detail.Details {
		d.printf("code %s, for a program to act on", detail.Code)
	}
	return nil
}

// cancel names the request that cancels, for ARM has no standard one: here the
// DELETE of what is being created. That ends nothing by itself.
func (d *demo) cancel(ctx context.Context) error {
	opts := options()
	opts.CancelRequest = func(poller.Status) (*poller.Request, error) {
		return &poller.Request{Method: http.MethodDelete, URL: d.url("slow"), OK: []int{http.StatusConflict}}, nil
	}
	p, err := d.begin(ctx, http.MethodPut, "slow", `{}`, opts)
	if err != nil {
		return err
	}
	if err := p.Cancel(ctx); err != nil {
		return err
	}
	d.printf("accepted; the operation tells how it ends")
	_, err = d.follow(ctx, "slow", p)
	return d.expectCanceled(err)
}

// supersede follows both operations to their ends.
func (d *demo) supersede(ctx context.Context) error {
	creation, err := d.begin(ctx, http.MethodPut, "slower", `{}`, options())
	if err != nil {
		return err
	}
	deletion, err := d.begin(ctx, http.MethodDelete, "slower", "", options())
	if err != nil {
		return err
	}
	_, err = d.follow(ctx, "creation", creation)
	if err := d.expectCanceled(err); err != nil {
		return err
	}
	_, err = d.follow(ctx, "deletion", deletion)
	return err
}

func (d *demo) expectCanceled(err error) error {
	operation, ok := errors.AsType[*lroerrors.OperationError](err)
	if !ok || !errors.Is(err, lroerrors.ErrCanceled) {
		return err
	}
	d.printf("error: %s", operation.Detail)
	return nil
}

// stranger takes an operation up as somebody else. It is there for whom began it
// alone, and for seven days: whoever else asks is told what everybody is told
// afterwards. The operation itself is not lost.
func (d *demo) stranger(ctx context.Context) error {
	opts := options()
	opts.Header = http.Header{"X-Ms-Client-Object-Id": {"one"}} // ARM sends it, from the credential
	mine, err := d.begin(ctx, http.MethodPut, "private", `{}`, opts)
	if err != nil {
		return err
	}
	token, err := mine.ResumeToken()
	if err != nil {
		return err
	}
	opts.Header = http.Header{"X-Ms-Client-Object-Id": {"another"}}
	opts.Origins = []string{d.origin}
	opts.Patience = poller.Patience{Failures: 1} // else it would be borne for five minutes
	theirs, err := poller.Resume[cluster](token, d.client, opts)
	if err != nil {
		return err
	}
	_, err = theirs.PollUntilDone(ctx)
	wait, ok := errors.AsType[*lroerrors.WaitError](err)
	if !ok {
		return err
	}
	d.printf("after one read, for it has no patience here: reason %s: %s", wait.Reason, wait)
	status, err := mine.Poll(ctx)
	if err != nil {
		return err
	}
	d.printf("its owner still reads: %s", status)
	return nil
}
