// Package checker runs long-running operations against a service and reports where the service
// departs from a specification.
//
//	r, err := checker.Check(ctx, &checker.Options{
//		Spec:     "arm",
//		Requests: []checker.Request{{Method: "PUT", URL: base + "/widgets/w1?api-version=2026-01-01", Body: []byte(`{}`)}},
//	})
//	if err != nil || r.Count(rule.Must) > 0 {
//		report.WriteText(os.Stdout, r)
//	}
//
// Check sends each request, follows its operation to the end, and reads more than a client would: the
// resource next to the status, the status over a second connection, and everything several times
// after the end. It sends at most one request in 200 ms. In the end it deletes what it has created.
//
// The package knows what to send and when. It does not know what is right or wrong: the packages arm
// and ibm say where a status is, the packages below them have the rules, package trace holds what was
// observed, and package report judges and prints it. Options says what a check needs, Plan what it
// would send; runner.go runs one operation, follow.go waits for its end, and cleanup.go deletes.
package checker
