package main

import (
	"context"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller/lrotf"
)

// readForTerraform reads a widget as a Terraform data source would.
func readForTerraform(ctx context.Context, service http.Handler, name string) (widget, diag.Diagnostics) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://a.test/widgets/"+name, http.NoBody)
	if err != nil {
		return widget{}, lrotf.Diagnose(ctx, "Reading widget "+name, err, nil)
	}
	w, _, err := lrotf.Get[widget](req, fakes.Client(service), nil)
	if err != nil {
		return widget{}, lrotf.Diagnose(ctx, "Reading widget "+name, err, nil)
	}
	return w, nil
}
