package timeline

import (
	"fmt"
	"time"
)

const day = 24 * time.Hour

// steps lists the usual intervals between marks on the time axis. A very long axis has a longer
// interval.
var steps = []time.Duration{
	time.Millisecond, 10 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	day, 2 * day, 7 * day, 30 * day,
}

// ticks returns the times to mark on an axis of the given length: zero and at most a dozen others.
func ticks(length time.Duration) []time.Duration {
	step := max(steps[len(steps)-1], (length / 12).Truncate(day))
	for _, s := range steps {
		if length/s <= 12 {
			step = s
			break
		}
	}
	var all []time.Duration
	for at := time.Duration(0); at <= length; at += step {
		all = append(all, at)
	}
	return all
}

// human formats d for people, with at most two units, such as 2 h 30 min.
func human(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
	}
	if d < 10*time.Second && d%time.Second >= 50*time.Millisecond {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}

	for _, u := range []struct {
		large, small time.Duration
		names        [2]string
	}{
		{day, time.Hour, [2]string{"d", "h"}},
		{time.Hour, time.Minute, [2]string{"h", "min"}},
		{time.Minute, time.Second, [2]string{"min", "s"}},
	} {
		if d >= u.large {
			d := d.Round(u.small)
			s := fmt.Sprintf("%d %s", d/u.large, u.names[0])
			if rest := d % u.large / u.small; rest > 0 {
				s += fmt.Sprintf(" %d %s", rest, u.names[1])
			}
			return s
		}
	}
	return fmt.Sprintf("%d s", d.Round(time.Second)/time.Second)
}
