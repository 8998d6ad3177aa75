package serve

import (
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/lro-go/lro/cmd/lro/internal/seed"
	"github.com/lro-go/lro/fakes"
)

// keepOperations is how many ended operations the service remembers. Each takes less than 2 KiB, so
// the service needs little memory even if it runs for days.
const keepOperations = 10_000

// chosen returns the style and the strategy that the flags select.
func (o *options) chosen() (style, strategy, error) {
	for _, s := range styles {
		if s.name != o.style {
			continue
		}
		for _, way := range s.strategies {
			if way.name == o.strategy {
				return s, way, nil
			}
		}
		return s, strategy{}, fmt.Errorf("--strategy %s: --style %s accepts only %s", o.strategy, s.name, strings.Join(s.strategyNames(), ", "))
	}
	return style{}, strategy{}, fmt.Errorf("--style %s: want one of %s", o.style, strings.Join(styleNames(), ", "))
}

// service creates the service that the flags describe.
func (o *options) service() (*fakes.Service, error) {
	s, way, err := o.chosen()
	if err != nil {
		return nil, err
	}
	if s.name == "arohcp" && o.changed("retry-after") {
		return nil, errors.New("--retry-after: ARO-HCP sends no Retry-After")
	}
	if s.name == "ibmcloud" && len(o.quirks) > 0 {
		return nil, errors.New("--quirk: quirks imitate Azure services; choose --style arm or arohcp")
	}
	plan, err := o.plan(way.report)
	if err != nil {
		return nil, err
	}

	svc := s.create()
	svc.Default = plan
	if way.report == fakes.ProvisioningState {
		sendHeaders(svc, plan)
	}
	svc.PageSize = o.pageSize
	svc.KeepOperations = keepOperations
	if err := o.putSeed(svc); err != nil {
		return nil, err
	}
	for n := range o.itemCount() {
		svc.Put(fmt.Sprintf("%s/item%d", path.Dir(way.path), n+1), map[string]any{})
	}
	for _, q := range o.quirks {
		svc.Quirk(q, "")
	}
	return svc, nil
}

// putSeed adds the resources from the --seed file to svc.
func (o *options) putSeed(svc *fakes.Service) error {
	if o.seed == "" {
		return nil
	}
	resources, err := seed.Read(o.seed)
	if err != nil {
		return fmt.Errorf("--seed %w", err)
	}
	for _, r := range resources {
		svc.Put(r.Path, r.Body)
	}
	return nil
}

// itemCount returns the number of initial items: the value of --items, which defaults to 0 with
// --seed.
func (o *options) itemCount() int {
	if o.seed != "" && !o.changed("items") {
		return 0
	}
	return o.items
}

// sendHeaders makes each POST and DELETE use the default style, in which a header names the status
// URL. The style ProvisioningState does not suit these operations, because the resource does not
// show their progress.
func sendHeaders(svc *fakes.Service, plan fakes.Plan) {
	plan.Style = 0
	for _, method := range []string{http.MethodPost, http.MethodDelete} {
		plan.Method = method
		svc.Plan(plan)
	}
}

// ending returns how operations end. They fail if an error code or an error message is set without
// --end.
func (o *options) ending() (fakes.Ending, error) {
	failure := o.errorCode != "" || o.errorMessage != ""
	if failure && !o.changed("end") {
		return fakes.Failed, nil
	}
	e := endings[slices.Index(endingNames(), o.end)]
	if failure && e == fakes.Succeeded {
		return "", errors.New("--error-code and --error-message need --end failed or --end canceled")
	}
	return e, nil
}

// plan returns the plan that the flags describe, for operations in the given style.
func (o *options) plan(style fakes.Style) (fakes.Plan, error) {
	ending, err := o.ending()
	if err != nil {
		return fakes.Plan{}, err
	}
	p := fakes.Plan{
		Style:      style,
		Duration:   o.duration,
		Polls:      o.polls,
		Percent:    true,
		RetryAfter: o.retryAfter,
		Ending:     ending,
	}
	if o.changed("polls") && !o.changed("duration") {
		p.Duration = 0
	}
	if p.Polls == 0 {
		p.Polls = -1 // package fakes treats 0 as its default, which is two polls if Duration is 0
	}
	if o.errorCode != "" || o.errorMessage != "" {
		p.Error = fakes.Error{Code: o.errorCode, Message: o.errorMessage}
	}
	return p, nil
}
