// Package fakes simulates management services, to test clients of long-running operations. A fake
// speaks the real protocols and injects failures on request.
//
// Most tests need a [Service] and a [Client] for it:
//
//	svc := &fakes.Service{}
//	client := fakes.Client(svc)
//
// A PUT to https://a.test/widgets/w1 now starts an operation. The Azure-AsyncOperation header of
// the response has the URL of a status document. The document reports progress for two polls. After
// that it reports Succeeded, and the widget exists. A test may use any host and path.
//
// A [Plan] sets how the client reads the status of an operation, how long the operation takes (as a
// number of polls or as a duration), and its terminal state. A [Fault] makes some requests fail:
//
//	svc.Plan(fakes.Plan{Method: "DELETE", Style: fakes.Location, Duration: 72 * time.Hour, RetryAfter: time.Minute})
//	svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 3, Do: fakes.Status(http.StatusServiceUnavailable)})
//
// Do is middleware, which works with any [http.Handler]. [Status] and [Edit] change the response,
// [Drop] the connection, [Slow] the speed and [Endless] the size; the index lists the others.
// [Service.Requests] returns every request with the status code of its response. A [Listing] sets
// the format of the pages of a collection. A [Transcript] replays a recorded conversation. [Crashes]
// tests that a program survives a crash before and after each of its requests and writes.
//
// Package arohcp simulates the frontend of ARO-HCP, and package ibmcloud services that follow IBM's
// API handbook. Package quirks lists the ways in which real services depart from their contract;
// [Service.Quirk] turns one on. Package fakes itself knows faults, the log, transcripts and
// connections; an internal engine knows operations. Neither knows the clients that they test.
//
// Fakes get the time from package time, and [Client] and [Transport] use no sockets. In a
// testing/synctest bubble, three days pass in an instant, and a test can assert exact durations:
//
//	synctest.Test(t, func(t *testing.T) {
//		svc := &fakes.Service{Default: fakes.Plan{Duration: 72 * time.Hour}}
//		start := time.Now()
//		createWidget(t.Context(), fakes.Client(svc)) // the code under test, with the default Cadence
//		require.Equal(t, 72*time.Hour, time.Since(start))
//	})
//
// Outside a bubble, shorten the poller's Cadence.Default and Cadence.Min; see docs/testing.md.
package fakes
