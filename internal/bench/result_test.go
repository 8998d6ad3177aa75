package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/hashicorp/go-azure-sdk/sdk/client"

	"github.com/lro-go/lro/poller"
)

const resultBytes = 4 << 20

// A template is a resource that, once decoded, takes about as much memory as its JSON. Anything
// beyond that is the reader's overhead.
type template struct {
	ID         string `json:"id"`
	Properties struct {
		ProvisioningState string `json:"provisioningState"`
		Items             []struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"items"`
	} `json:"properties"`
}

// bigResource returns a template's JSON, slightly longer than resultBytes.
func bigResource() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"id":"%s/templates/w","properties":{"provisioningState":"Succeeded","items":[`, group)
	for n := 0; b.Len() < resultBytes; n++ {
		if n > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"item-%06d","value":%q}`, n, strings.Repeat("manifest ", 110))
	}
	b.WriteString("]}}")
	return b.Bytes()
}

// big returns a service whose operation has ended with body as its result. If sized is set, the
// response with the result has a Content-Length.
func big(body []byte, sized bool) answers {
	s := ended()
	s[[2]string{http.MethodGet, group + "/widgets/w"}] = answer{code: http.StatusOK, header: headers(), body: body, unsized: !sized}
	return s
}

// A resultReader reads the result of an operation that has ended. It returns the result so that the
// caller can keep it in memory.
type resultReader func(context.Context) (any, error)

// resultReaders returns functions that read the result of a PUT with Azure-AsyncOperation into a T.
func resultReaders[T any](tb testing.TB, service answers) map[string]resultReader {
	tb.Helper()
	httpClient := &http.Client{Transport: service}
	ctx := tb.Context()
	ours, err := poller.New[T](firstResponse(tb, service, async), httpClient, nil) //nolint:bodyclose // the body is in memory
	must(tb, err)
	_, err = ours.Poll(ctx)
	must(tb, err)
	theirs, err := azruntime.NewPoller[T](firstResponse(tb, service, async), barePipeline(httpClient), nil) //nolint:bodyclose // the body is in memory
	must(tb, err)
	_, err = theirs.Poll(ctx) //nolint:bodyclose // azcore has read the body
	must(tb, err)
	c := hashicorpClient(tb, host, service)
	return map[string]resultReader{
		lro:    func(ctx context.Context) (any, error) { return ours.Result(ctx) },
		azcore: func(ctx context.Context) (any, error) { return theirs.Result(ctx) },
		hashicorp: func(ctx context.Context) (any, error) { // does what go-azure-sdk's generated clients do after PollUntilDone
			ctx, cancel := context.WithTimeout(ctx, time.Hour)
			defer cancel()
			req, err := c.NewRequest(ctx, client.RequestOptions{
				ContentType: "application/json; charset=utf-8", ExpectedStatusCodes: []int{http.StatusOK},
				HttpMethod: http.MethodGet, Path: group + "/widgets/w",
			})
			if err != nil {
				return nil, err
			}
			resp, err := req.Execute(ctx)
			if err != nil {
				return nil, err
			}
			defer resp.Body.Close()
			v := new(T)
			return v, resp.Unmarshal(v)
		},
		floor: func(ctx context.Context) (any, error) { return floorResult[T](ctx, httpClient) },
	}
}

func floorResult[T any](ctx context.Context, client *http.Client) (any, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, host+group+"/widgets/w"+version, http.NoBody)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	v := new(T)
	if raw, ok := any(v).(*json.RawMessage); ok {
		*raw = body
		return v, nil
	}
	return v, json.Unmarshal(body, v)
}

// resultCost measures what it costs to read a result: the bytes allocated, the peak of live memory
// in several tries, and the live memory that is left while the caller keeps the result and the
// poller.
func resultCost(tb testing.TB, reader func() resultReader, tries int) (bytes, peak, left float64) {
	tb.Helper()
	read := reader()
	runtime.GC()
	runtime.GC()
	base := alive()
	var v any
	_, bytes = allocated(tb, 1, func(int) (err error) {
		v, err = read(tb.Context())
		return err
	})
	runtime.GC()
	runtime.GC()
	left = alive() - base
	runtime.KeepAlive(v)
	runtime.KeepAlive(read)
	for range tries {
		peak = max(peak, peakOf(tb, reader()))
	}
	return bytes, peak, left
}

// peakOf returns the approximate peak of live memory during a read. A second goroutine repeatedly
// collects garbage and checks the live memory after each collection.
func peakOf(tb testing.TB, read resultReader) float64 {
	tb.Helper()
	runtime.GC()
	base := alive()
	stop, seen := make(chan struct{}), make(chan float64)
	go func() {
		most := base
		for {
			select {
			case <-stop:
				seen <- most
				return
			default:
				runtime.GC()
				most = max(most, alive())
			}
		}
	}()
	v, err := read(tb.Context())
	close(stop)
	most := <-seen
	must(tb, err)
	runtime.KeepAlive(v)
	return most - base
}

// alive returns the size of the live heap, in bytes, as of the last garbage collection.
func alive() float64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return float64(sample[0].Value.Uint64())
}

// All subjects read the same result.
func TestResultsAgree(t *testing.T) {
	service := ended()
	want := service[[2]string{http.MethodGet, group + "/widgets/w"}].body
	for name, read := range resultReaders[json.RawMessage](t, service) {
		v, err := read(t.Context())
		must(t, err)
		if got := value[json.RawMessage](v); string(got) != string(want) {
			t.Errorf("%s: %s", name, got)
		}
	}
	for name, read := range resultReaders[widget](t, service) {
		v, err := read(t.Context())
		must(t, err)
		if got := value[widget](v); got.Name != "w" || got.Properties.Size != 7 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// value returns v, which is a T or a *T, as a T.
func value[T any](v any) T {
	if p, ok := v.(*T); ok {
		return *p
	}
	return v.(T)
}
