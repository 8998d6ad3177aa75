// Service simulates the widget service on this machine, so that you can try the provider with your
// own installation of OpenTofu. README.md explains the steps.
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
	address := flag.String("address", "127.0.0.1:8080", "address to serve on")
	polls := flag.Int("n", 10, "number of polls until an operation ends")
	pause := flag.Duration("pause", 3*time.Second, "pause between two polls that the service asks for")
	flag.Parse()

	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	origin, stop, err := contoso.Serve(ctx, *address, contoso.New(*polls, *pause))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("# Serving widgets until Ctrl-C. Run this where you run tofu:\nexport CONTOSO_ENDPOINT=%s\n", origin)
	<-ctx.Done()
	stop()
}
