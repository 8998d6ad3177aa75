// Subscription creates a virtual network, which costs nothing, in a resource
// group such as /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/demo.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

func main() {
	client := transport.NewClient(&transport.Options{Token: func(context.Context) (string, time.Time, error) {
		return os.Getenv("AZURE_TOKEN"), time.Time{}, nil
	}})
	id, err := create(context.Background(), client, os.Getenv("AZURE_GROUP"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("created", id)
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
