package pager_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/pager"
)

// If the consumer is as slow as the network, reading ahead nearly halves the time, because both
// work at the same time.
func TestReadAheadTakesHalfTheTime(t *testing.T) {
	const pages, d = 100, time.Second
	for ahead, want := range map[int]time.Duration{
		0: 2 * pages * d,
		1: (pages + 1) * d,
		5: (pages + 1) * d,
	} {
		bubble(t, func(t *testing.T) {
			p := newPager[int](t, slowly(numbers(pages), d), &pager.Options{ReadAhead: ahead})
			start := time.Now()
			var got []int
			for page, err := range p.Pages(t.Context()) {
				require.NoError(t, err)
				got = append(got, page.Items...)
				time.Sleep(d)
			}
			require.Equal(t, want, time.Since(start), "%d ahead", ahead)
			require.Equal(t, count(0, 2*pages), got)
		})
	}
}

// The pager reads at most ReadAhead pages ahead, even if the consumer is slow, and none before the
// loop starts.
func TestReadAheadIsBounded(t *testing.T) {
	for _, ahead := range []int{0, 1, 2, 5} {
		bubble(t, func(t *testing.T) {
			s := numbers(20)
			p := newPager[int](t, s, &pager.Options{ReadAhead: ahead})
			seq := p.Pages(t.Context())
			synctest.Wait()
			require.Empty(t, s.requests())
			given := 0
			for _, err := range seq {
				require.NoError(t, err)
				given++
				time.Sleep(time.Hour)
				require.Len(t, s.requests(), min(20, given+ahead))
			}
			require.Equal(t, 20, given)
		})
	}
}

// No goroutine outlives a loop, no matter when the loop ends. The pager keeps the pages that it has
// read ahead, and repeats the request that the end of the loop canceled.
func TestReadAheadEndsWithTheLoop(t *testing.T) {
	for wait := range 12 {
		bubble(t, func(t *testing.T) {
			s := numbers(6)
			var under atomic.Int32
			h := slowly(s, 2*time.Second)
			p := newPager[int](t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				under.Add(1)
				defer under.Add(-1)
				h.ServeHTTP(w, r)
			}), &pager.Options{ReadAhead: 3})
			var got []int
			for page, err := range p.Pages(t.Context()) {
				require.NoError(t, err)
				got = append(got, page.Items...)
				time.Sleep(time.Duration(wait)*time.Second + time.Millisecond)
				break
			}
			synctest.Wait()
			require.Zero(t, under.Load(), "no request is in progress")
			answered := len(s.requests())
			require.Equal(t, min(4, 1+wait/2), answered)
			for len(got) < 2*answered {
				page, err := p.NextPage(t.Context())
				require.NoError(t, err)
				got = append(got, page.Items...)
			}
			require.Len(t, s.requests(), answered, "pages that were read ahead are not requested again")
			for item, err := range p.All(t.Context()) {
				require.NoError(t, err)
				got = append(got, item)
			}
			require.Equal(t, count(0, 12), got)
			require.Len(t, s.requests(), 6)
		})
	}
}

// If reading ahead fails, the loop gets the earlier pages before the error.
func TestReadAheadErrorsInOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := numbers(6)
		s.replies["/widgets?page=3"] = append([]string{"503 down"}, s.replies["/widgets?page=3"]...)
		p := newPager[int](t, s, &pager.Options{ReadAhead: 5})
		var got []int
		for range 2 {
			for page, err := range p.Pages(t.Context()) {
				if err != nil {
					require.Equal(t, count(0, 6), got)
					require.Equal(t, http.StatusServiceUnavailable, statusError(t, err).StatusCode)
					continue
				}
				got = append(got, page.Items...)
				time.Sleep(time.Minute)
			}
		}
		require.Equal(t, count(0, 12), got)
		require.Len(t, s.requests(), 7)
	})
}

// If the loop ends before it gets the error of a page that was read ahead, the pager discards that
// error and requests the page again.
func TestReadAheadDiscardsErrors(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := numbers(3)
		s.replies["/widgets?page=1"] = append([]string{"503 down"}, s.replies["/widgets?page=1"]...)
		p := newPager[int](t, s, &pager.Options{ReadAhead: 1})
		for _, err := range p.Pages(t.Context()) {
			require.NoError(t, err)
			time.Sleep(time.Minute)
			break
		}
		got, err := items(t.Context(), p)
		require.NoError(t, err)
		require.Equal(t, count(2, 6), got)
	})
}

// When the loop's context ends, the loop gets the pages already read and then the error. When the
// context of a NextPage call within the loop ends, only that call fails.
func TestReadAheadContexts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPager[int](t, slowly(numbers(6), time.Minute), &pager.Options{ReadAhead: 2})
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Second)
		defer cancel()
		var got []int
		var last error
		for page, err := range p.Pages(ctx) {
			if last = err; err != nil {
				break
			}
			got = append(got, page.Items...)
			if len(got) == 2 {
				short, stop := context.WithTimeout(t.Context(), time.Second)
				_, err = p.NextPage(short)
				require.ErrorIs(t, statusError(t, err), context.DeadlineExceeded)
				stop()
			}
		}
		require.ErrorIs(t, statusError(t, last), context.DeadlineExceeded)
		require.Equal(t, count(0, 4), got)
		got, err := items(t.Context(), p)
		require.NoError(t, err)
		require.Equal(t, count(4, 12), got)
	})
}

// A panic in the loop also ends the goroutine that reads ahead.
func TestReadAheadPanics(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPager[int](t, slowly(numbers(6), time.Minute), &pager.Options{ReadAhead: 2})
		require.Panics(t, func() {
			for _, err := range p.All(t.Context()) {
				require.NoError(t, err)
				panic("x")
			}
		})
		got, err := items(t.Context(), p)
		require.NoError(t, err)
		require.Equal(t, count(1, 12), got)
	})
}

// Reading ahead sends the same requests in the same order as reading page by page.
func TestReadAheadSendsTheSame(t *testing.T) {
	want := numbers(8)
	_, err := items(t.Context(), newPager[int](t, want, nil))
	require.NoError(t, err)
	for _, ahead := range []int{1, 3, 100} {
		s := numbers(8)
		got, err := items(t.Context(), newPager[int](t, s, &pager.Options{ReadAhead: ahead, MaxPages: 8}))
		require.NoError(t, err)
		require.Equal(t, count(0, 16), got)
		require.Equal(t, want.requests(), s.requests())
	}
}

var _ pager.Doer = fakes.Client(nil)
