// Demo shows what becomes of an operation that Terraform is not there to follow to
// its end: a creation, interrupted and taken up, a failure, a deletion. It needs no
// tofu: package core plays its part, against a service on the loopback interface.
//
//	cd examples/terraform && go run ./demo
package main

import (
	"context"
	"io"
	"log"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/lro-go/lro/examples/terraform/internal/contoso"
	"github.com/lro-go/lro/examples/terraform/internal/core"
	"github.com/lro-go/lro/examples/terraform/internal/provider"
	"github.com/lro-go/lro/fakes"
)

func main() {
	log.SetFlags(0)
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal("demo: ", err)
	}
}

// run tells the story on w. It fails where a step ends otherwise than it should.
func run(ctx context.Context, w io.Writer) error {
	svc := contoso.New(5, 200*time.Millisecond)
	origin, stop, err := contoso.Serve(ctx, "127.0.0.1:0", svc)
	if err != nil {
		return err
	}
	defer stop()
	d := &demo{
		screen: screen{new(sync.Mutex), w},
		svc:    svc,
		// The pause is for the demo alone. Leave it as it is in production.
		settings: core.Config{"endpoint": origin, "min_pause": "100ms"},
	}
	ctx = tflogtest.RootLogger(ctx, logger{d}) // the provider's own log, which TF_LOG_PROVIDER=INFO shows
	if d.workspace, err = core.Open(ctx, providerserver.NewProtocol6(provider.New())(), d.settings, "contoso_widget"); err != nil {
		return err
	}
	for _, s := range steps {
		d.printf("\n# %s\n", s.title)
		if err := s.do(d, ctx); err != nil {
			return err
		}
	}
	d.printf("\nThe service was asked for %d creations and changes and %d deletions.\n",
		contoso.Begun(svc, http.MethodPut), contoso.Begun(svc, http.MethodDelete))
	return nil
}

type demo struct {
	screen
	svc       *fakes.Service
	settings  core.Config
	workspace *core.Workspace
	left      int // lines of statuses in the log until Ctrl-C comes; it comes for none if less
}
