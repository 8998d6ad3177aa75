package chaos

import (
	"fmt"
	"slices"
	"strings"
)

// judge compares what the callers saw with the records of the services, and returns a complaint for
// each difference.
func judge(f *front, told map[*operation][]outcome) (complaints []string) {
	records, kinds := f.world.records()
	for kind, n := range kinds {
		f.tally.add("requests at the services: "+string(kind), n)
	}
	f.mu.Lock() // handlers may still be answering clients that are gone
	defer f.mu.Unlock()
	for _, op := range f.world.operations {
		for _, c := range f.complaints(op, told[op], records[op.name]) {
			history := strings.Join(f.lives[op].history, "\n\t")
			complaints = append(complaints, fmt.Sprintf("%s, %s %s (%s): %s\n\t%s", op.name, op.verb, op.path, op.way, c, history))
		}
	}
	return complaints
}

func (f *front) complaints(op *operation, told []outcome, rec *record) (list []string) {
	switch {
	case len(told) == 0:
		return []string{"nobody was told its end"}
	case len(told) > 1:
		list = append(list, fmt.Sprintf("its end was told %d times", len(told)))
	}
	f.tally.count("ended " + told[0].State)
	f.tally.add("ends told more than once", len(told)-1)
	f.tally.add("ended otherwise than decided", 0)
	if told[0] != op.want {
		f.tally.count("ended otherwise than decided")
		list = append(list, fmt.Sprintf("ended in %q, not in %q", told[0], op.want))
	}
	if rec == nil || len(rec.Begun) == 0 {
		return append(list, "the service has begun nothing")
	}
	if !slices.ContainsFunc(rec.Endings, func(word string) bool { return agrees(word, op.want) }) {
		list = append(list, fmt.Sprintf("the service says %q", rec.Endings))
	}
	return append(list, f.account(op, rec)...)
}

// account checks that the service started the operation only once, unless lost answers or restarts
// explain the repetitions.
func (f *front) account(op *operation, rec *record) []string {
	again := len(rec.Begun) - 1
	f.tally.add("operations begun at the services", len(rec.Begun))
	if again == 0 {
		return nil
	}
	f.tally.add("operations begun again, after an answer that was lost", again)
	life := f.lives[op]
	restarts := f.listener.abortedOf(life.begunOn)
	switch {
	case op.repeatable:
		return []string{fmt.Sprintf("its request may come again, and began %d operations", len(rec.Begun))}
	case again > life.spoilt+restarts:
		return []string{fmt.Sprintf("begun %d times, with %d answers lost and %d to restarts", len(rec.Begun), life.spoilt, restarts)}
	}
	return nil
}
