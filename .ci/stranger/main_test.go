package main

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/lro-go/lro/fakes"
)

func TestCreate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w, err := create(t.Context(), &fakes.Service{Default: fakes.Plan{Duration: 72 * time.Hour}}, nil)
		if err != nil || w.Name != "w1" || time.Since(start) != 72*time.Hour {
			t.Errorf("create = %v, %v after %s, want w1 after 72h", w, err, time.Since(start))
		}
	})
}
