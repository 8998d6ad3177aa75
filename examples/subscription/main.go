// Subscription creates a virtual network, which costs nothing, in your resource group:
//
//	export AZURE_TOKEN=$(az account get-access-token --query accessToken -o tsv)
//	export AZURE_GROUP=/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/demo
//	go run ./examples/subscription
//
// Press Ctrl-C while the program waits, and run the program again: the second run continues where
// the first one stopped.
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

const tokenFile = "lro-demo.token" // holds the resume token for the next run

type network struct{ ID string }

var options = &poller.Options{
	Cadence: poller.Cadence{First: 2 * time.Second, Default: 20 * time.Second}, // pauses: 2 s, 4 s, 8 s, 16 s, 20 s, 20 s, …
	Origins: []string{"https://management.azure.com"},                          // Resume requires Origins; Begin also allows the origin of its request
}

func main() {
	group := os.Getenv("AZURE_GROUP")
	if !strings.HasPrefix(group, "/subscriptions/") || os.Getenv("AZURE_TOKEN") == "" {
		log.Fatal("set AZURE_GROUP and AZURE_TOKEN; AZURE_GROUP must begin with /subscriptions/")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	client := transport.NewClient(&transport.Options{Token: token})
	created, err := run(ctx, client, group)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("created", created.ID)
}

// token always returns the same token. Once it expires, the service responds with 401, and the wait
// ends with a WaitError. A real program gets a new token from its credential here.
func token(context.Context, transport.TokenRequest) (transport.Token, error) {
	return transport.Token{Value: os.Getenv("AZURE_TOKEN")}, nil
}

// run creates the network, or resumes the creation if an earlier run was interrupted.
func run(ctx context.Context, client *http.Client, group string) (created network, err error) {
	p, err := start(ctx, client, group)
	if err == nil {
		created, err = p.PollUntilDone(ctx)
	}
	wait, waiting := errors.AsType[*lroerrors.WaitError](err)
	_, unread := errors.AsType[*lroerrors.ResultError](err)
	_, failed := errors.AsType[*lroerrors.OperationError](err)
	switch {
	case waiting: // for example after Ctrl-C, while Azure is still creating the network
		return created, errors.Join(err, save(wait))
	case unread: // Azure has created the network, so the next run only reads it
		return created, errors.Join(err, save(p))
	case failed || err == nil:
		_ = os.Remove(tokenFile) // the operation has ended
	case poller.MayHaveStarted(err): // for example after Ctrl-C during Begin
		err = fmt.Errorf("look for the network before you run the program again, because Azure may be creating it: %w", err)
	}
	return created, err
}

func start(ctx context.Context, client *http.Client, group string) (*poller.Poller[network], error) {
	resumeToken, err := os.ReadFile(tokenFile)
	if err == nil {
		p, err := poller.Resume[network](string(resumeToken), client, options)
		if err != nil {
			return nil, fmt.Errorf("resume from %s: %w", tokenFile, err)
		}
		return p, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	url := "https://management.azure.com" + group + "/providers/Microsoft.Network/virtualNetworks/lro-demo?api-version=2024-05-01"
	body := `{"location": "westeurope", "properties": {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return poller.Begin[network](req, client, options)
}

// save writes the resume token of a WaitError or a Poller to tokenFile.
func save(from interface{ ResumeToken() (string, error) }) error {
	resumeToken, err := from.ResumeToken()
	if err == nil {
		err = os.WriteFile(tokenFile, []byte(resumeToken), 0o600)
	}
	if err == nil {
		log.Print("stored the resume token in ", tokenFile, "; run the program again to continue")
	}
	return err
}
