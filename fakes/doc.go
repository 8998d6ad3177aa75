// Package fakes simulates management services, so that you can test clients of long-running
// operations. A fake speaks the real protocols and injects failures on request.
//
// Most tests need a [Service] and a [Client] for it:
//
//	svc := &fakes.Service{}
//	client := fakes.Client(svc)
//
// A PUT to https://a.test/widgets/w1 now starts an operation. The response's Azure-AsyncOperation
// header contains the URL of a status document, which reports progress for two polls and then
// Succeeded. This client never retries. To test the retries of your own client, use a [Transport]
// as its base. Client and Transport accept any [http.Handler], such as your own server.
//
// A [Plan] sets how the client reads an operation's status, how long the operation takes (as a
// number of polls or as a duration), and its terminal state. A [Fault] makes some requests fail:
//
//	svc.Plan(fakes.Plan{Method: "DELETE", Style: fakes.Location, Duration: 72 * time.Hour, RetryAfter: time.Minute})
//	svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 3, Do: fakes.Status(http.StatusServiceUnavailable)})
//
// Do is middleware that works with any http.Handler. For example, [Status] replaces the response,
// [Edit] modifies it, [Slow] delays it, and [Drop] closes the connection. The index lists the
// others. [Service.Requests] returns every request with the status code of its response. A
// [Listing] sets the page format of a collection. A [Transcript] replays a recorded conversation.
// [Crashes] tests that a program survives a crash before and after each of its requests and writes.
//
// Package arohcp simulates the ARO-HCP frontend, and package ibmcloud simulates IBM Cloud services.
// Package quirks defines how real services depart from their contract. Package fakes itself handles
// faults, the log, transcripts and connections. An internal package runs the operations.
//
// [Client] and [Transport] use no sockets. In a testing/synctest bubble, three days pass in an
// instant, and a test can assert exact durations:
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
