// Terraform is a provider for Terraform and OpenTofu. It has one resource and one
// data source, widgets of a management service whose changes take hours: see README.md.
//
//	cd examples/terraform && go run ./demo
package main

import (
	"context"
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/lro-go/lro/examples/terraform/internal/provider"
)

func main() {
	debug := flag.Bool("debug", false, "serve to a debugger")
	flag.Parse()
	err := providerserver.Serve(context.Background(), provider.New, providerserver.ServeOpts{
		Address: "registry.opentofu.org/lro-go/contoso",
		Debug:   *debug,
	})
	if err != nil {
		log.Fatal(err)
	}
}
