package poller

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lro-go/lro/internal/wire"
)

// settings are Options with the defaults filled in. They are not changed.
type settings struct {
	Options
	origins     wire.Origins
	statusLimit wire.Limit
	resultLimit wire.Limit
}

// resolve copies opts and checks what a caller can get wrong.
func resolve(opts *Options) (*settings, error) {
	if opts == nil {
		return defaults, nil
	}
	plain := opts.plain()
	if last := lastResolved.Load(); plain && last != nil && last.given == given(opts) && slices.Equal(last.origins, opts.Origins) {
		return last.set, nil
	}
	set, err := resolved(*opts)
	if plain && err == nil {
		lastResolved.Store(&sharedSettings{given(opts), slices.Clone(opts.Origins), set})
	}
	return set, err
}

// sharedSettings are those of the options that were given last, for a hundred
// thousand operations to share that have the same.
type sharedSettings struct {
	given   plainOptions
	origins []string
	set     *settings
}

var lastResolved atomic.Pointer[sharedSettings]

// plainOptions are the fields of Options that are nothing but values.
type plainOptions struct {
	via            FinalStateVia
	pointer        string
	cadence        Cadence
	patience       Patience
	status, result int64
	answer         time.Duration
}

func given(o *Options) plainOptions {
	return plainOptions{o.FinalStateVia, o.ResultPointer, o.Cadence, o.Patience, o.MaxStatusBytes, o.MaxResultBytes, o.AnswerTime}
}

// plain reports whether all that is set is in plainOptions, or the Origins.
func (o *Options) plain() bool {
	return o.Strategy == nil && o.CancelRequest == nil && o.Logger == nil && len(o.Words)+len(o.Header) == 0 &&
		o.Confirm == nil && o.CrossCheck == nil && o.Repeat == nil
}

// defaults are shared by all who give no options, for they are not changed.
var defaults, _ = resolved(Options{})

func resolved(opts Options) (*settings, error) {
	s := &settings{Options: opts}
	if s.Strategy == nil {
		s.Strategy = ARM
	}
	s.Words = lowerWords(s.Words)
	s.Header, s.Origins = s.Header.Clone(), slices.Clone(s.Origins)
	s.Confirm, s.CrossCheck, s.Repeat = s.Confirm.withDefaults(), s.CrossCheck.withDefaults(), s.Repeat.withDefaults()
	s.Cadence = s.Cadence.withDefaults()
	if s.Patience == (Patience{}) {
		s.Patience = Patience{Time: 30 * time.Minute, Failures: 5}
	}
	s.statusLimit = limit("MaxStatusBytes", s.MaxStatusBytes, defaultStatusBytes, s.AnswerTime)
	s.resultLimit = limit("MaxResultBytes", s.MaxResultBytes, defaultResultBytes, s.AnswerTime)
	if s.Logger == nil {
		s.Logger = noLogger
	}
	err := s.check()
	return s, err
}

// check reports options that cannot be meant, and fills in the origins.
func (s *settings) check() (err error) {
	if s.origins, err = wire.NewOrigins(s.Origins); err != nil {
		return err
	}
	if err := checkResultPointer(s.ResultPointer); err != nil {
		return fmt.Errorf("lro: ResultPointer: %w", err)
	}
	if err := cmp.Or(s.Confirm.valid("Confirm"), s.CrossCheck.valid("CrossCheck")); err != nil {
		return err
	}
	s.FinalStateVia = FinalStateVia(strings.ToLower(string(s.FinalStateVia)))
	switch s.FinalStateVia {
	case "", FinalStateViaAzureAsyncOp, FinalStateViaLocation, FinalStateViaOriginalURI, FinalStateViaOpLocation:
		return nil
	}
	return fmt.Errorf("lro: FinalStateVia %q is none of the FinalStateVia constants", s.FinalStateVia)
}

// maxPointer bounds how deep a result may stand within its document: each level reads
// what is below it, and a token may bring any pointer.
const maxPointer = 100

func checkResultPointer(ptr string) error {
	if strings.Count(ptr, "/") > maxPointer {
		return fmt.Errorf("JSON pointer has more than %d levels", maxPointer)
	}
	return wire.CheckPointer(ptr)
}

func (c Cadence) withDefaults() Cadence {
	c.Default = orDefault(c.Default, time.Minute)
	c.Min = orDefault(c.Min, 10*time.Second)
	c.Max = max(orDefault(c.Max, 10*time.Minute), c.Min)
	return c
}

func orDefault(d, def time.Duration) time.Duration {
	if d <= 0 {
		return def
	}
	return d
}

var noLogger = slog.New(slog.DiscardHandler)

func limit(name string, bytes, def int64, answer time.Duration) wire.Limit {
	if bytes <= 0 {
		bytes = def
	}
	return wire.Limit{Name: name, Bytes: bytes, Time: answer}
}

func lowerWords(words map[string]State) map[string]State {
	if len(words) == 0 {
		return nil
	}
	lower := make(map[string]State, len(words))
	for word, s := range words {
		lower[strings.ToLower(strings.TrimSpace(word))] = s
	}
	return lower
}
