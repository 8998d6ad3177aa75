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
// Do is middleware. The middleware of this package changes the response
// ([Status], [Respond], [HTML], [Throttle], [Challenge], [Header], [Edit]), the
// connection ([Drop], [Truncate]), the speed ([Slow], [Trickle], [Hang],
// [Stall]) or the size ([Endless], [Bomb]). Middleware can be combined by
// wrapping, and works with any [http.Handler].
//
// [Service.Requests] returns every request with its time, headers and body, and
// the status code of its response.
//
// # Other services
//
//   - Package arohcp simulates the frontend of ARO-HCP.
//   - Package ibmcloud simulates services that follow IBM's API handbook.
//   - Package quirks lists the ways in which real services depart from their contract.
//     [Service.Quirk] turns one on.
//   - A [Listing] sets the format of the pages of a collection, and can break
//     their next links.
//   - A [Transcript] replays a conversation that you have recorded or written
//     down.
//
// # Time
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
// Outside a bubble, shorten the poller's Cadence.Default and Cadence.Min. docs/testing.md covers
// both cases.
package fakes
