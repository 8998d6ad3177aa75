// Service serves widgets on this machine, for those who have tofu at hand and want
// to try the provider by hand. README.md says how.
//
//	cd examples/terraform && go run ./service
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"time"

	"github.com/lro-go/lro/examples/terraform/internal/contoso"
)

func main() {
	address := flag.String("address", "127.0.0.1:8080", "where to serve")
	polls := flag.Int("polls", 10, "how often an operation is found in progress")
	pause := flag.Duration("pause", 3*time.Second, "what the service asks for between two polls")
	flag.Parse()

	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	origin, stop, err := contoso.Serve(ctx, *address, contoso.New(*polls, *pause))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("export CONTOSO_ENDPOINT=%s\n", origin)
	<-ctx.Done()
	stop()
}
