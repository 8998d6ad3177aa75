package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/hashicorp/go-retryablehttp"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// A pollFunc reads the status once and reports whether the operation has ended.
type pollFunc func(context.Context) (done bool, err error)

// times returns a runner that reads the status of a running operation n times.
func (poll pollFunc) times(ctx context.Context) runner {
	return func(n int) error {
		for range n {
			done, err := poll(ctx)
			if done {
				err = errors.New("an operation in progress has ended")
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

func lroPoll(tb testing.TB, resp *http.Response, client poller.Doer) pollFunc {
	tb.Helper()
	p, err := poller.New[widget](resp, client, nil)
	must(tb, err)
	return func(ctx context.Context) (bool, error) {
		st, err := p.Poll(ctx)
		return st.State.Terminal(), errors.Join(err, st.ReadErr)
	}
}

func azcorePoll(tb testing.TB, resp *http.Response, pl azruntime.Pipeline) pollFunc {
	tb.Helper()
	p, err := azruntime.NewPoller[widget](resp, pl, nil)
	must(tb, err)
	return func(ctx context.Context) (bool, error) {
		_, err := p.Poll(ctx) //nolint:bodyclose // azcore has read the body
		return p.Done(), err
	}
}

// floorPoll returns a function that reads the status as a hand-written loop would. It keeps no
// state, and checks neither origins nor whether a response has a status.
func floorPoll(client poller.Doer, s style) pollFunc {
	url := map[style]string{
		async: host + operation + version, location: host + operation + "/result" + version, state: host + group + "/widgets/p" + version,
	}[s]
	return func(ctx context.Context) (bool, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return false, err
		}
		resp, err := client.Do(req)
		if err != nil {
			return false, err
		}
		defer resp.Body.Close()
		if resp.StatusCode == http.StatusAccepted {
			_, err := io.Copy(io.Discard, resp.Body)
			return false, err
		}
		var doc struct {
			Status     string `json:"status"`
			Properties struct {
				ProvisioningState string `json:"provisioningState"`
			} `json:"properties"`
		}
		err = json.NewDecoder(resp.Body).Decode(&doc)
		return strings.EqualFold(doc.Status+doc.Properties.ProvisioningState, "Succeeded"), err
	}
}

// turning is a service whose operation succeeds on the nth GET.
type turning struct {
	running, ended answers
	gets, n        int
}

func (s *turning) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodGet {
		s.gets++
	}
	if s.gets < s.n {
		return s.running.RoundTrip(req)
	}
	return s.ended.RoundTrip(req)
}

// hashicorpPolls returns a runner for go-azure-sdk. The library exports no function for a single
// read, so the runner follows an operation that ends at the nth read, without pauses.
func hashicorpPolls(t *testing.T, s style) runner {
	t.Helper()
	t.Setenv("GO_AZURE_SDK_SKIP_POLLING_DELAY", "true")
	service := &turning{running: running(), ended: ended()}
	c := hashicorpClient(t, host, service)
	return func(n int) error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		service.gets, service.n = 0, n
		resp := firstResponse(t, service.running, s)
		defer resp.Body.Close()
		p, err := hashicorpPoller(resp, c)
		if err != nil {
			return err
		}
		if err := p.PollUntilDone(ctx); err != nil {
			return err
		}
		if service.gets != n {
			return fmt.Errorf("%d reads, want %d", service.gets, n)
		}
		return nil
	}
}

// polls returns runners that read a status. Only go-azure-sdk's runner retries, because its retries
// cannot be disabled.
func polls(t *testing.T, s style) runners {
	t.Helper()
	service := running()
	return runners{
		lro:       lroPoll(t, firstResponse(t, service, s), service).times(t.Context()),                  //nolint:bodyclose // the body is in memory
		azcore:    azcorePoll(t, firstResponse(t, service, s), barePipeline(service)).times(t.Context()), //nolint:bodyclose // the body is in memory
		hashicorp: hashicorpPolls(t, s),
		floor:     floorPoll(service, s).times(t.Context()),
	}
}

// clientPolls returns runners that read a status through an http.Client, as most programs do.
// go-azure-sdk always uses one.
func clientPolls(t *testing.T) runners {
	t.Helper()
	service := running()
	client := &http.Client{Transport: service}
	return runners{
		lro:       lroPoll(t, firstResponse(t, service, async), client).times(t.Context()),                  //nolint:bodyclose // the body is in memory
		azcore:    azcorePoll(t, firstResponse(t, service, async), barePipeline(client)).times(t.Context()), //nolint:bodyclose // the body is in memory
		hashicorp: hashicorpPolls(t, async),
		floor:     floorPoll(client, async).times(t.Context()),
	}
}

// retryingPolls returns runners that read a status with each subject's own retries. The floor
// has no retries of its own, so it uses go-retryablehttp.
func retryingPolls(t *testing.T) runners {
	t.Helper()
	service := running()
	ours := &http.Client{Transport: transport.New(&transport.Options{Base: service})}
	var theirs policy.Transporter = &http.Client{Transport: service}
	retrying := retryablehttp.NewClient()
	retrying.HTTPClient.Transport, retrying.Logger = service, nil
	return runners{
		lro:       lroPoll(t, firstResponse(t, service, async), ours).times(t.Context()),                    //nolint:bodyclose // the body is in memory
		azcore:    azcorePoll(t, firstResponse(t, service, async), fullPipeline(theirs)).times(t.Context()), //nolint:bodyclose // the body is in memory
		hashicorp: hashicorpPolls(t, async),
		floor:     floorPoll(retrying.StandardClient(), async).times(t.Context()),
	}
}

var styles = []style{async, location, state}

// All subjects agree on whether an operation has ended.
func TestPollersAgree(t *testing.T) {
	for _, s := range styles {
		for name, run := range polls(t, s) {
			if err := run(3); err != nil {
				t.Errorf("%s, %s, running: %v", s, name, err)
			}
		}
		service := ended()
		client := &http.Client{Transport: service}
		for name, poll := range map[string]pollFunc{
			lro:    lroPoll(t, firstResponse(t, service, s), client),                  //nolint:bodyclose // the body is in memory
			azcore: azcorePoll(t, firstResponse(t, service, s), barePipeline(client)), //nolint:bodyclose // the body is in memory
			floor:  floorPoll(client, s),
		} {
			if done, err := poll(t.Context()); !done || err != nil {
				t.Errorf("%s, %s, ended: done=%t, %v", s, name, done, err)
			}
		}
	}
	for name, run := range retryingPolls(t) {
		if err := run(3); err != nil {
			t.Errorf("retrying, %s: %v", name, err)
		}
	}
}
