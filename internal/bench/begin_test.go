package bench

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"testing"

	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/lro-go/lro/poller"
)

// A note holds what a hand-written loop stores about an operation.
type note struct {
	Method, Target, Poll, State string
}

func repeat(do func() error) runner {
	return func(n int) error {
		for range n {
			if err := do(); err != nil {
				return err
			}
		}
		return nil
	}
}

// begins returns runners that create a poller from a PUT response with an Azure-AsyncOperation
// header.
func begins(t *testing.T) runners {
	t.Helper()
	service := running()
	client := &http.Client{Transport: service}
	pl := barePipeline(client)
	c := hashicorpClient(t, host, service)
	first := firstResponse(t, service, async)
	body := service[[2]string{http.MethodPut, first.Request.URL.Path}]
	return runners{
		lro: repeat(func() error {
			_, err := poller.New[widget](body.response(first.Request), client, nil) //nolint:bodyclose // in memory
			return err
		}),
		azcore: repeat(func() error {
			_, err := azruntime.NewPoller[widget](body.response(first.Request), pl, nil) //nolint:bodyclose // in memory
			return err
		}),
		hashicorp: repeat(func() error {
			_, err := hashicorpPoller(body.response(first.Request), c) //nolint:bodyclose // in memory
			return err
		}),
		floor: repeat(func() error {
			_, err := takeNote(body.response(first.Request)) //nolint:bodyclose // in memory
			return err
		}),
	}
}

func takeNote(resp *http.Response) (note, error) {
	raw, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		return note{}, err
	}
	var doc struct {
		Properties struct {
			ProvisioningState string `json:"provisioningState"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return note{}, err
	}
	poll, err := url.Parse(resp.Header.Get("Azure-AsyncOperation"))
	if err != nil {
		return note{}, err
	}
	return note{
		Method: resp.Request.Method, Target: resp.Request.URL.String(), Poll: poll.String(), State: doc.Properties.ProvisioningState,
	}, nil
}

// resumes returns runners that create a poller from a token written by the same library.
// go-azure-sdk has no tokens.
func resumes(t *testing.T) runners {
	t.Helper()
	service := running()
	client := &http.Client{Transport: service}
	pl := barePipeline(client)
	ours, err := poller.New[widget](firstResponse(t, service, async), client, nil) //nolint:bodyclose // in memory
	must(t, err)
	token, err := ours.ResumeToken()
	must(t, err)
	theirs, err := azruntime.NewPoller[widget](firstResponse(t, service, async), pl, nil) //nolint:bodyclose // in memory
	must(t, err)
	theirToken, err := theirs.ResumeToken()
	must(t, err)
	noted, err := takeNote(firstResponse(t, service, async)) //nolint:bodyclose // in memory
	must(t, err)
	written, err := json.Marshal(noted)
	must(t, err)
	opts := &poller.Options{Origins: []string{host}}
	return runners{
		lro: repeat(func() error {
			_, err := poller.Resume[widget](token, client, opts)
			return err
		}),
		azcore: repeat(func() error {
			_, err := azruntime.NewPollerFromResumeToken[widget](theirToken, pl, nil)
			return err
		}),
		floor: repeat(func() error {
			var n note
			if err := json.Unmarshal(written, &n); err != nil {
				return err
			}
			_, err := url.Parse(n.Poll)
			return err
		}),
	}
}

func TestBeginAndResume(t *testing.T) {
	for what, of := range map[string]runners{"begin": begins(t), "resume": resumes(t)} {
		for name, run := range of {
			if err := run(2); err != nil {
				t.Errorf("%s, %s: %v", what, name, err)
			}
		}
	}
}
