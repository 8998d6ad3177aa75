package checker_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"

	"github.com/lro-go/lro/cmd/lro/checker"
	"github.com/lro-go/lro/cmd/lro/checker/report"
	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/rules"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/fakes/quirks"
)

// The status documents of this service contain times that are not in ISO 8601 format.
func Example() {
	ctx := context.Background()
	svc := &fakes.Service{}
	svc.Quirk(quirks.NonstandardTimes, "")
	server := httptest.NewServer(svc)
	defer server.Close()

	r, err := checker.Check(ctx, &checker.Options{
		Spec: rules.ARM,
		Requests: []checker.Request{
			{Method: "PUT", URL: server.URL + "/widgets/w1?api-version=2026-01-01", Body: []byte(`{"properties":{"size":1}}`)},
		},
		Keep: true, // no cleanup, because the server ends with the example
	})
	if err != nil {
		panic(err)
	}
	if r.Count(rule.Must) > 0 {
		_ = report.WriteText(os.Stderr, r)
	}
	fmt.Println(r.Broken())
	// Output: [arm-monitor-times]
}
