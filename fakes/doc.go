// Package fakes simulates management services, to test clients of long-running
// operations. A fake speaks the real protocols and fails when a test says so.
//
// Most tests need a [Service] and a [Client] for it:
//
//	svc := &fakes.Service{}
//	client := fakes.Client(svc)
//
// A PUT of https://a.test/widgets/w1 now starts an operation. The URL in the
// Azure-AsyncOperation header is its status monitor. It reports progress for two
// polls and then Succeeded, and the widget exists. A test may use any host and
// path.
//
// # Operations
//
// A [Plan] sets how the client reads the status of an operation, how long the
// operation takes (in polls or in time), and its terminal state.
//
//	svc.Plan(fakes.Plan{Method: "DELETE", Style: fakes.Location, Duration: 72 * time.Hour, RetryAfter: time.Minute})
//	svc.Plan(fakes.Plan{Path: "/widgets/bad", Ending: fakes.Failed, Error: fakes.Error{Code: "QuotaExceeded", Message: "No more widgets."}})
//
// # Services
//
// The zero Service follows the Resource Provider Contract of Azure Resource
// Manager. [AROHCP] answers as the frontend of ARO-HCP does. [IBMCloud] follows
// IBM's API handbook and has the variants that IBM's services use. Plans, faults
// and the log of requests work in the same way for all of them.
//
//	svc := fakes.AROHCP()
//	svc.Notify = fakes.Client(inbox) // posts the end of each operation to clients that ask for it
//
//	svc := fakes.IBMCloud()
//	svc.Plan(fakes.Plan{Path: "/v1/instances", Style: fakes.LifecycleState, Duration: time.Hour})
//
// # The client under test
//
// [Client] adds nothing to a request: it does not retry and has no credentials. To
// test a client with the retries, the throttle gate and the tokens of package
// transport, set a [Transport] as its Base:
//
//	client := transport.NewClient(&transport.Options{
//		Base:  &fakes.Transport{Handler: svc},
//		Token: token,
//	})
//	p, err := poller.Begin[Widget](req, client, nil)
//
// Each retry is a request of its own. It counts for the Nth and Times of a [Fault],
// and the log has it.
//
// # Time
//
// Fakes take the time from package time, and [Client] and [Transport] use no
// sockets. In a testing/synctest bubble, three days pass in an instant, and a test
// can assert exact durations:
//
//	synctest.Test(t, func(t *testing.T) {
//		svc := &fakes.Service{Default: fakes.Plan{Duration: 72 * time.Hour}}
//		start := time.Now()
//		createWidget(t.Context(), fakes.Client(svc)) // the code under test, with the default Cadence
//		require.Equal(t, 72*time.Hour, time.Since(start))
//	})
//
// Run tests of a poller in a bubble, because it waits in real time otherwise. By
// default it waits a minute after each status. If the service sends Retry-After, it
// waits as long as that asks, but never less than ten seconds unless Cadence.Min is
// set. Where no bubble is possible, shorten both pauses:
//
//	const pause = 10 * time.Millisecond
//	opts := &poller.Options{Cadence: poller.Cadence{Default: pause, Min: pause}}
//
// To serve a fake over a socket, to another process for example, pass it to
// [net/http/httptest.NewServer].
//
// # Failures
//
// A [Fault] selects requests and what happens to them. This one makes the third
// poll fail:
//
//	svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 3, Do: fakes.Status(http.StatusServiceUnavailable)})
//
// Do is middleware. The middleware of this package changes the response
// ([Status], [Respond], [HTML], [Throttle], [Challenge], [Header], [Edit]), the
// connection ([Drop], [Truncate]), the speed ([Slow], [Trickle], [Hang], [Stall])
// or the size ([Endless], [Bomb]). It can be combined by wrapping, and works with
// any [http.Handler].
//
// # Quirks
//
// A [Quirk] is a behavior of a real service that departs from its contract. Its
// documentation says what crosses the wire, which service does it, and what it
// does to a client.
//
//	svc.Quirk(fakes.DeletingForever, "/widgets/w1")
//
// # Listings
//
// A GET of a collection lists its resources, in pages of PageSize. [Service.Pages]
// defines a listing of any items. A [Listing] sets the format of the pages, and can
// break their next links:
//
//	svc.Listing(fakes.Listing{Items: "/widgets", Link: "/next/href", Param: "start"})
//
// # The log
//
// [Service.Requests] returns every request with its time, headers and body, and
// the status code of its response.
//
// # Transcripts
//
// If no Plan and no Fault produces a conversation, write it down as a [Transcript],
// or record a real one, and replay it.
//
// This package imports only the standard library, and not package testing.
package fakes
