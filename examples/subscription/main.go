// Subscription creates a virtual network, which costs nothing, in a resource
// group of yours:
//
//	export AZURE_TOKEN=$(az account get-access-token --query accessToken -o tsv)
//	export AZURE_GROUP=/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/demo
//	go run ./examples/subscription
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

func main() {
	client := transport.NewClient(&transport.Options{Token: token})
	id, err := create(context.Background(), client, os.Getenv("AZURE_GROUP"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("created", id)
}

// token returns a token that lives for about an hour. For longer operations, ask azidentity
// here.
func token(context.Context, transport.TokenRequest) (transport.Token, error) {
	return transport.Token{Value: os.Getenv("AZURE_TOKEN")}, nil
}

func create(ctx context.Context, client *http.Client, group string) (id string, err error) {
	url := "https://management.azure.com" + group + "/providers/Microsoft.Network/virtualNetworks/lro-demo?api-version=2024-05-01"
	body := `{"location": "westeurope", "properties": {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	p, err := poller.Begin[struct{ ID string }](req, client, nil)
	if err != nil {
		return "", err
	}
	network, err := p.PollUntilDone(ctx)
	return network.ID, err
}
