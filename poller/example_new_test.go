package poller_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/poller"
)

// If a service accepts a request but names no URL to poll, the caller can still use the response
// body.
func ExampleNew_unfollowable() {
	client := fakes.Client(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusAccepted)
		_, _ = fmt.Fprint(w, `{"name": "w1"}`)
	}))
	resp, err := client.Do(widgetRequest("POST", "/widgets", "{}"))
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()

	p, err := poller.New[Widget](resp, client, nil)
	if errors.Is(err, lroerrors.ErrUnfollowable) { // New leaves the body readable
		var widget Widget
		err := json.NewDecoder(resp.Body).Decode(&widget)
		fmt.Println(widget.Name, err)
		return
	}
	fmt.Println(p, err)
	// Output: w1 <nil>
}
