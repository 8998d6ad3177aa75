package chaos

import (
	"fmt"
	"slices"
	"strings"
)

// judge compares what the callers saw with the services' records and returns a complaint for each
// difference.
func judge(f *front, seen map[*operation][]outcome) (complaints []string) {
	records, kinds := f.world.records()
	for kind, n := range kinds {
		f.tally.add("requests that reached the services: "+string(kind), n)
	}
	f.mu.Lock() // handlers may still be answering clients that are gone
	defer f.mu.Unlock()
	for _, op := range f.world.operations {
		for _, c := range f.complaints(op, seen[op], records[op.name]) {
			history := strings.Join(f.lives[op].history, "\n\t")
			complaints = append(complaints, fmt.Sprintf("%s, %s %s (%s): %s\n\t%s", op.name, op.verb, op.path, op.way, c, history))
		}
	}
	return complaints
}

func (f *front) complaints(op *operation, seen []outcome, rec *record) (list []string) {
	switch {
	case len(seen) == 0:
		return []string{"no caller saw the operation end"}
	case len(seen) > 1:
		list = append(list, fmt.Sprintf("callers saw the operation end %d times", len(seen)))
	}
	f.tally.count("ended " + seen[0].State)
	f.tally.add("endings reported more than once", len(seen)-1)
	f.tally.add("ended differently from what the service decided", 0)
	if seen[0] != op.want {
		f.tally.count("ended differently from what the service decided")
		list = append(list, fmt.Sprintf("ended in %q, not in %q", seen[0], op.want))
	}
	if rec == nil || len(rec.Started) == 0 {
		return append(list, "the service started nothing")
	}
	if !slices.ContainsFunc(rec.Endings, func(word string) bool { return agrees(word, op.want) }) {
		list = append(list, fmt.Sprintf("according to the service, it ended in %q", rec.Endings))
	}
	return append(list, f.account(op, rec)...)
}

// account returns a complaint if the service started the operation too often. If the service
// recognizes repeated requests, it must start the operation only once. Otherwise, each answer that
// may have been lost allows one more start.
func (f *front) account(op *operation, rec *record) []string {
	again := len(rec.Started) - 1
	f.tally.add("operations that the services started", len(rec.Started))
	if again == 0 {
		return nil
	}
	f.tally.add("operations started again after a lost answer", again)
	life := f.lives[op]
	restarts := f.listener.abortedOf(life.startedOn)
	switch {
	case op.repeatable:
		return []string{fmt.Sprintf("its request can be repeated, but started %d operations", len(rec.Started))}
	case again > life.unanswered+restarts:
		return []string{fmt.Sprintf("started %d times, with %d answers lost and %d to restarts", len(rec.Started), life.unanswered, restarts)}
	}
	return nil
}
