// Subscription creates a virtual network, which costs nothing, in your
// resource group:
//
//	export AZURE_TOKEN=$(az account get-access-token --query accessToken -o tsv)
//	export AZURE_GROUP=/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/demo
//	go run ./examples/subscription
//
// Press Ctrl-C while it waits, and run it again: the second run continues where the
// first one stopped.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/transport"
)

// tokenFile is the file that keeps the resume token of an interrupted run.
const tokenFile = "lro-demo.token"

func main() {
	log.SetFlags(0)
	group := os.Getenv("AZURE_GROUP")
	if group == "" || os.Getenv("AZURE_TOKEN") == "" {
		log.Fatal("set AZURE_TOKEN and AZURE_GROUP as described at the top of main.go")
	}
	fmt.Printf("Creating the virtual network lro-demo in %s: about ten seconds. Ctrl-C stops the wait.\n", group)

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	client := transport.NewClient(&transport.Options{Token: token})
	id, err := run(ctx, client, group, tokenFile)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("created", id)
}

// run creates the network, or continues an interrupted run whose token is in file.
func run(ctx context.Context, client *http.Client, group, file string) (id string, err error) {
	saved, readErr := os.ReadFile(file)
	switch {
	case readErr == nil:
		id, err = resume(ctx, client, string(saved))
	case errors.Is(readErr, fs.ErrNotExist):
		id, err = create(ctx, client, group)
	default:
		return "", readErr // do not create anything: the file may contain the token of an interrupted run
	}
	if wait, ok := errors.AsType[*lroerrors.WaitError](err); ok { // after Ctrl-C, for example: Azure is still creating the network
		return "", errors.Join(err, save(wait, file))
	}
	if _, ended := errors.AsType[*lroerrors.OperationError](err); ended || err == nil {
		_ = os.Remove(file)
	} else if readErr == nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return id, err
}

// save stores what the next run needs to continue.
func save(wait *lroerrors.WaitError, file string) error {
	resumeToken, err := wait.ResumeToken()
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(resumeToken), 0o600)
}

// token returns the same token each time. The token is valid for about an hour. A program that runs
// longer should get its tokens from azidentity: see docs/authenticate.md.
func token(context.Context, transport.TokenRequest) (transport.Token, error) {
	return transport.Token{Value: os.Getenv("AZURE_TOKEN")}, nil
}

type network struct{ ID string }

var options = &poller.Options{
	Cadence: poller.Cadence{First: 2 * time.Second, Default: 20 * time.Second}, // 2 s, 4 s, 8 s, 16 s, 20 s, 20 s, …
	Origins: []string{"https://management.azure.com"},                          // to which Resume may send requests
}

func create(ctx context.Context, client *http.Client, group string) (id string, err error) {
	url := "https://management.azure.com" + group + "/providers/Microsoft.Network/virtualNetworks/lro-demo?api-version=2024-05-01"
	body := `{"location": "westeurope", "properties": {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	p, err := poller.Begin[network](req, client, options)
	if err != nil {
		return "", err
	}
	created, err := p.PollUntilDone(ctx)
	return created.ID, err
}

func resume(ctx context.Context, client *http.Client, resumeToken string) (id string, err error) {
	p, err := poller.Resume[network](resumeToken, client, options)
	if err != nil {
		return "", err
	}
	created, err := p.PollUntilDone(ctx)
	return created.ID, err
}
