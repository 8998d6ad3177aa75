// Controller is a Kubernetes controller for a resource whose operations take minutes or days. Its
// reconcile loop never waits for an operation to end, and you may kill the process between any two
// requests.
//
//	cd examples/controller && go run .
//
// The demo needs no cluster: it runs the reconciler with controller-runtime's fake client against a
// simulated service. README.md lists what the reconciler guarantees.
package main

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) error {
	say := log.New(out, "", 0).Printf
	say("A reconciler creates, updates and deletes a Widget, in a fake cluster and at a simulated service. This takes about 3 s.")
	svc := &fakes.Service{Default: fakes.Plan{Polls: 3, Percent: true}}
	svc.Plan(fakes.Plan{Times: 1, Polls: 1, Ending: fakes.Failed, Error: fakes.Error{Code: "QuotaExceeded", Message: "The largest size is 100."}})
	svc.Fault(fakes.Fault{Kind: fakes.Poll, Nth: 4, Do: fakes.HTML(http.StatusBadGateway)})

	w := &Widget{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "small", UID: "1", Generation: 1}, Spec: WidgetSpec{Size: 1000}}
	cluster := fake.NewClientBuilder().WithScheme(newScheme()).WithStatusSubresource(w).Build()
	const origin, pace = "https://widgets.example.com", 200 * time.Millisecond
	r := &Reconciler{
		Client:  cluster,
		Service: transport.NewClient(&transport.Options{Base: &fakes.Transport{Handler: svc}}),
		Origin:  origin,
		Options: poller.Options{Origins: []string{origin}, Cadence: poller.Cadence{Default: pace, Min: pace}},
	}
	show := func(title string, err error) error {
		say("\n%s", title)
		for pause := pace; err == nil && pause > 0 && pause < 10*time.Second; {
			time.Sleep(pause) // wait as a manager would
			res, failed := r.Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(w)})
			err, pause = failed, res.RequeueAfter
			if gone := cluster.Get(ctx, client.ObjectKeyFromObject(w), w); gone != nil {
				say("  The Widget is gone.")
				break
			}
			ready, progressing := w.Status.Conditions[0], w.Status.Conditions[1]
			say("  Ready=%-5s  Progressing=%-5s  %s", ready.Status, progressing.Status, ready.Message)
		}
		return err
	}
	err := show("The Widget is too large for the service:", cluster.Create(ctx, w))
	w.Generation, w.Spec.Size = 2, 100 // a real API server increments the generation itself
	err = errors.Join(err, show("Its spec changes. One read of the status fails, and the operation continues:", cluster.Update(ctx, w)))
	return errors.Join(err, show("The Widget is deleted:", cluster.Delete(ctx, w)))
}
