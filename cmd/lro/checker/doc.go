// Package checker runs long-running operations against a service and reports where the service
// violates a specification.
//
//	r, err := checker.Check(ctx, &checker.Options{
//		Spec:     "arm",
//		Requests: []checker.Request{{Method: "PUT", URL: base + "/widgets/w1?api-version=2026-01-01", Body: []byte(`{}`)}},
//	})
//	if err != nil || r.Count(rule.Must) > 0 {
//		report.WriteText(os.Stdout, r)
//	}
//
// Check sends each request, follows its operation to the end, and reads more than a client would: it reads
// the resource in addition to the status, reads the status over a second connection, and reads everything
// several times after the end. It sends at most one request every 200 ms. Finally, it deletes what it has
// created.
//
// This package decides what to send and when. The packages arm and ibm find where to read a status.
// Package ibm and the packages below arm hold the rules. Package trace holds the observations, and
// package report compares them with the rules. Begin with Options, which describes what a check
// needs, and Plan, which lists what it would send. runner.go runs one operation, follow.go waits
// for its end, and cleanup.go deletes what the check has created.
package checker
