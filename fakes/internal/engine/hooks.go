package engine

// A Quirk is a way in which a real service departs from its contract.
type Quirk interface {
	Hooks() Hooks // if the hooks have state, such as a counter, each call must return new hooks
}

// Hooks change what a Service does. A nil hook does nothing.
type Hooks struct {
	// Transcript is the text of a recorded conversation. A request that the conversation contains
	// gets the recorded response instead of the Service's own. In the text, {{resource}} and
	// {{name}} stand for the resource's path and name.
	Transcript string

	// Classify changes the Kind of q. The Service calls Classify more than once per request, so
	// Classify must not count its calls.
	Classify func(s *Service, q *Request)

	// Instead can answer q in place of s. If it returns true, s does not
	// process q.
	Instead func(s *Service, q *Request) (Answer, bool)

	// Plan changes the plan of the operation that q starts.
	Plan func(q *Request, p *Plan)

	// End changes the status that an operation reports after it has ended.
	End func(op *Operation)

	// Answer changes the response to q. q.Op is the operation of q, even if q just started it.
	Answer func(s *Service, q *Request, a *Answer)
}

// A quirk applies Hooks to the resource at a path and all resources below it.
type quirk struct {
	path string
	Hooks
}

// AddQuirk applies h to the resource at path, to all resources below it, and to their operations.
func (s *Service) AddQuirk(h Hooks, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.quirks = append(s.quirks, quirk{path, h})
}

// concerns reports whether the quirk applies to the resource or operation of q.
func (u quirk) concerns(q *Request) bool {
	return Under(q.Path, u.path) || q.Op != nil && Under(q.Op.Target, u.path)
}

// reclassify calls the Classify hooks, which can change the Kind of q.
func (s *Service) reclassify(q *Request) {
	for _, quirk := range s.quirks {
		if quirk.Classify != nil && quirk.concerns(q) {
			quirk.Classify(s, q)
		}
	}
}

// answerInstead calls the Instead hooks until one of them answers q.
func (s *Service) answerInstead(q *Request) (Answer, bool) {
	for _, quirk := range s.quirks {
		if quirk.Instead == nil || !quirk.concerns(q) {
			continue
		}
		if a, ok := quirk.Instead(s, q); ok {
			return a, true
		}
	}
	return Answer{}, false
}

// editPlan lets the Plan hooks change the plan of the operation that q starts.
func (s *Service) editPlan(q *Request, p Plan) Plan {
	for _, quirk := range s.quirks {
		if quirk.Plan != nil && Under(q.Path, quirk.path) {
			quirk.Plan(q, &p)
		}
	}
	return p
}

// editEnd lets the End hooks change the status of op after op has ended.
func (s *Service) editEnd(op *Operation) {
	for _, quirk := range s.quirks {
		if quirk.End != nil && Under(op.Target, quirk.path) {
			quirk.End(op)
		}
	}
}

// editAnswer calls the Answer hooks, which can change the response to q.
func (s *Service) editAnswer(q *Request, a Answer) Answer {
	for _, quirk := range s.quirks {
		if quirk.Answer != nil && quirk.concerns(q) {
			quirk.Answer(s, q, &a)
		}
	}
	return a
}
