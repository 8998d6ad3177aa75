package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// create creates a cluster and requests a notification, which wakes the poller as soon as the
// cluster exists. Without the notification, the poller would read the status only once a minute.
func (d *demo) create(ctx context.Context) error {
	req, err := d.request(ctx, http.MethodPut, "blue", `{"location": "westeurope", "tags": {"team": "one"}}`)
	if err != nil {
		return err
	}
	req.Header.Set("Azure-AsyncNotificationUri", d.receiver.uri)
	p, err := poller.Begin[cluster](req, d.client, nil)
	if err != nil {
		return err
	}
	wake := p.WakeUp
	d.receiver.wake.Store(&wake)
	start := time.Now()
	c, err := d.follow(ctx, "blue", p)
	if err != nil {
		return err
	}
	d.printf("result: %s, %s, in less than a minute: %t", c.Name, c.Properties.ProvisioningState, time.Since(start) < time.Minute)
	return nil
}

// update changes a cluster with a PATCH. The body of the 202 is not the result, which is available
// only after the operation has ended.
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

// fail starts a creation that fails, and prints the error from the status document.
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
		d.printf("code for a program to act on: %s", detail.Code)
	}
	return nil
}

// cancel starts to create a cluster, and cancels the creation by deleting the cluster, because ARM
// defines no request for canceling an operation.
func (d *demo) cancel(ctx context.Context) error {
	opts := options()
	opts.CancelRequest = func(poller.Status) (*poller.Request, error) {
		return &poller.Request{Method: http.MethodDelete, URL: d.origin + clusters + "/slow" + version, OK: []int{http.StatusConflict}}, nil
	}
	p, err := d.begin(ctx, http.MethodPut, "slow", `{}`, opts)
	if err != nil {
		return err
	}
	if err := p.Cancel(ctx); err != nil {
		return err
	}
	d.printf("the service accepted the deletion")
	_, err = d.follow(ctx, "slow", p)
	operation, ok := errors.AsType[*lroerrors.OperationError](err)
	if !ok {
		return err
	}
	d.printf("error: %s", operation.Detail)
	return nil
}

// stranger resumes an operation under another identity, and prints the error. To that identity, the
// service responds as if the operation had expired.
func (d *demo) stranger(ctx context.Context) error {
	opts := options()
	opts.Header = http.Header{"X-Ms-Client-Object-Id": {"one"}} // in Azure, ARM derives this header from the credential
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
	opts.Patience = poller.Patience{Time: -1} // give up at the first 404; by default, the poller tolerates 404s for five minutes
	theirs, err := poller.Resume[cluster](token, d.client, opts)
	if err != nil {
		return err
	}
	_, err = theirs.PollUntilDone(ctx)
	wait, ok := errors.AsType[*lroerrors.WaitError](err)
	if !ok {
		return err
	}
	d.printf("%s", wait)
	status, err := mine.Poll(ctx)
	if err != nil {
		return err
	}
	d.printf("its owner still reads %s", status)
	return nil
}
