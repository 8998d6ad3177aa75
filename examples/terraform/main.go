// Command terraform is a provider for Terraform and OpenTofu. It has a resource and a data source
// for the widgets of a management service whose operations take hours. See README.md. To run a
// demo:
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
	debug := flag.Bool("debug", false, "support debuggers such as delve")
	flag.Parse()
	err := providerserver.Serve(context.Background(), provider.New, providerserver.ServeOpts{
		Address: "registry.opentofu.org/lro-go/contoso",
		Debug:   *debug,
	})
	if err != nil {
		log.Fatal(err)
	}
}
