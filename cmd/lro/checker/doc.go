// Package checker runs long-running operations against a service and reports where the service
// violates a specification.
//
//	r, err := checker.Check(ctx, &checker.Options{
//		Spec:     "arm",
//		Requests: []checker.Request{{Method: "PUT", URL: base + "/widgets/w1?api-version=2026-01-01", Body: []byte(`{}`)}},
//	})
//	if err != nil {
//		log.Fatal(err)
//	}
//	if r.Count(rule.Must) > 0 {
//		report.WriteText(os.Stdout, r)
//	}
//
// Check sends each request and follows its operation to the end. It reads more than a client would:
// the resource in addition to the status, the status over a second connection, and everything
// several times after the end. It sends at most one request every 200 ms. Finally, it deletes what
// it has created.
//
// This package decides what to send and when. Packages arm and ibm determine where to read a
// status. Package ibm and the packages below arm hold the rules. Package trace has the types that
// record what a check observed, and package report compares these observations with the rules.
// Begin with Options, which describes a check, and Plan, which lists what a check would send. The
// file runner.go runs one operation, follow.go waits for it to end, and cleanup.go deletes what the
// check has created.
package checker
