// Package fakes has services to test a client of management services against:
// they speak the protocols of long-running operations, and go wrong when told.
//
// Most tests need only a [Service] and a [Client] for it:
//
//	svc := &fakes.Service{}
//	client := fakes.Client(svc)
//
// Now a PUT of https://a.test/widgets/w1 begins an operation, the URL in its
// Azure-AsyncOperation header tells how it is getting on, and after two polls in
// progress the widget is there. Host and path are the test's to choose.
//
// # What becomes of an operation
//
// A [Plan] says it: how the client is told, how long it takes, in polls or in
// time, and how it ends.
//
//	svc.Plan(fakes.Plan{Method: "DELETE", Style: fakes.Location, Duration: 72 * time.Hour, RetryAfter: time.Minute})
//	svc.Plan(fakes.Plan{Path: "/widgets/bad", Ending: fakes.Failed, Error: fakes.Error{Code: "QuotaExceeded", Message: "No more widgets."}})
//
// # Services that there are
//
// The plain Service speaks the Resource Provider Contract of Azure Resource
// Manager. [AROHCP] answers as the frontend of ARO-HCP really does, and
// [IBMCloud] after IBM's API handbook and the services that nearly follow it.
// Plans, faults and the log of requests are the same for all.
//
//	svc := fakes.AROHCP()
//	svc.Notify = fakes.Client(inbox) // posts the end of an operation to those who ask for it
//
//	svc := fakes.IBMCloud()
//	svc.Plan(fakes.Plan{Path: "/v1/instances", Style: fakes.LifecycleState, Duration: time.Hour})
//
// # What goes wrong with requests
//
// A [Fault] says it: which requests are hit, and what with. This makes the third
// poll fail:
//
//	svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 3, Do: fakes.Status(http.StatusServiceUnavailable)})
//
// What hits them is a middleware. Those of this package change the answer
// ([Status], [Respond], [HTML], [Throttle], [Header], [Edit]), the connection
// ([Drop], [Truncate]), the pace ([Slow], [Trickle], [Hang], [Stall]) or the size
// ([Endless], [Bomb]); they compose by wrapping, with each other and around any
// [http.Handler].
//
// # What real services do
//
// A [Quirk] is a way in which one of them departs from its contract. Each says
// what crosses the wire, where that was seen, and what it does to a client:
//
//	svc.Quirk(fakes.DeletingForever, "/widgets/w1")
//
// # Listings
//
// A GET of a collection lists its resources, in pages of PageSize;
// [Service.Pages] makes a list of anything. A [Listing] says how the pages are
// told, and what is wrong with their links:
//
//	svc.Listing(fakes.Listing{Items: "/widgets", Link: "/next/href", Param: "start"})
//
// # What was asked
//
// [Service.Requests] has every request with its time, headers and body, and the
// status it was answered.
//
// # Conversations
//
// What no Plan and no Fault makes is written down as a [Transcript], or recorded
// from a real service, and replayed.
//
// # Time
//
// [Client] and [Transport] work without sockets, and everything here asks the
// time of package time, so that in a bubble of testing/synctest three days pass
// in no time, and to the nanosecond:
//
//	synctest.Test(t, func(t *testing.T) {
//		svc := &fakes.Service{Default: fakes.Plan{Duration: 72 * time.Hour}}
//		start := time.Now()
//		createWidget(t.Context(), fakes.Client(svc)) // the code under test, with its own pace
//		require.Equal(t, 72*time.Hour, time.Since(start))
//	})
//
// Outside of one, or in another process,
// [net/http/httptest.NewServer] serves the same handlers over a socket.
//
// The package imports the standard library only, and not package testing.
package fakes
