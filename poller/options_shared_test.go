package poller

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"reflect"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/poller/strategy"
)

type sliceStrategy []string

func (sliceStrategy) Step(strategy.Answer) (strategy.Move, error) { return strategy.Move{}, nil }

// Pollers share the settings of equal options, even if each has its own copy of them. Options that
// differ in any field have their own settings, and so do options with a header or a function.
func TestSharedSettings(t *testing.T) {
	variants := map[string]func() *Options{
		"Strategy":        func() *Options { return &Options{Strategy: arm.Location} },
		"FinalStateVia":   func() *Options { return &Options{FinalStateVia: FinalStateViaLocation} },
		"ResultPointer":   func() *Options { return &Options{ResultPointer: "/a"} },
		"Words":           func() *Options { return &Options{Words: map[string]State{"Ready": Succeeded}} },
		"Cadence":         func() *Options { return &Options{Cadence: Cadence{Min: time.Second}} },
		"Patience":        func() *Options { return &Options{Patience: Patience{Failures: 7}} },
		"Origins":         func() *Options { return &Options{Origins: []string{"https://a.test"}} },
		"Header":          func() *Options { return &Options{Header: http.Header{"Authorization": {"Bearer secret"}}} },
		"CancelRequest":   func() *Options { return &Options{CancelRequest: func(Status) (*Request, error) { return nil, nil }} },
		"MaxStatusBytes":  func() *Options { return &Options{MaxStatusBytes: 7} },
		"MaxResultBytes":  func() *Options { return &Options{MaxResultBytes: 7} },
		"ResponseTimeout": func() *Options { return &Options{ResponseTimeout: 7} },
		"Logger":          func() *Options { return &Options{Logger: slog.Default()} },
	}
	require.Len(t, variants, reflect.TypeFor[Options]().NumField())
	variants["other origins"] = func() *Options { return &Options{Origins: []string{"https://b.test"}} }
	variants["other words"] = func() *Options { return &Options{Words: map[string]State{"Ready": Failed}} }
	variants["other logger"] = func() *Options { return &Options{Logger: slog.New(slog.DiscardHandler)} }
	variants["not comparable"] = func() *Options { return &Options{Strategy: sliceStrategy{"a"}} }
	settingsOf := func(name string) *settings {
		s, err := resolve(variants[name]())
		require.NoError(t, err)
		return s
	}
	alone := map[string]bool{"CancelRequest": true, "other logger": true, "not comparable": true}
	for name := range variants {
		for other := range variants {
			if s := settingsOf(name); name != other {
				require.NotSame(t, s, settingsOf(other), "%s, then %s", name, other)
			}
		}
		one, other := settingsOf(name), settingsOf(name)
		require.Equal(t, !alone[name], one == other, name)
	}
}

type keyStrategy struct{ key string }

func (s *keyStrategy) Step(strategy.Answer) (strategy.Move, error) {
	return strategy.Move{Memo: json.RawMessage(s.key)}, nil
}

// Options are not kept in memory when no poller uses them anymore.
func TestSharedSettingsAreReleased(t *testing.T) {
	strategy := &keyStrategy{"secret"}
	released := weak.Make(strategy)
	first, err := resolve(&Options{Strategy: strategy})
	require.NoError(t, err)
	second, err := resolve(&Options{Strategy: strategy})
	require.NoError(t, err)
	require.Same(t, first, second)
	runtime.KeepAlive(first)
	runtime.GC()
	runtime.GC()
	require.Nil(t, released.Value())
}
