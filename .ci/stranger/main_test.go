package main

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

func TestCreate(t *testing.T) {
	for name, create := range map[string]func(context.Context, http.Handler, *poller.Options) (widget, error){"transport": create, "azcore": createOnAzcore} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			w, err := create(t.Context(), &fakes.Service{Default: fakes.Plan{Duration: 72 * time.Hour}}, nil)
			if err != nil || w.Name != "w1" || time.Since(start) != 72*time.Hour {
				t.Errorf("%s: create = %v, %v after %s, want w1 after 72h", name, w, err, time.Since(start))
			}
		})
	}
}

func TestReadForTerraform(t *testing.T) {
	service := &fakes.Service{}
	service.Put("/widgets/w1", map[string]any{})
	if w, diags := readForTerraform(t.Context(), service, "w1"); diags.HasError() || w.Name != "w1" {
		t.Errorf("readForTerraform = %v, %v, want w1", w, diags)
	}
	if _, diags := readForTerraform(t.Context(), service, "w2"); !diags.HasError() {
		t.Error("readForTerraform of a widget that does not exist reports no error")
	}
}
