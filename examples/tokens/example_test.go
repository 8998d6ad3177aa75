package tokens_test

import (
	"fmt"
	"net/http"

	"golang.org/x/oauth2/clientcredentials"

	"github.com/lro-go/lro/examples/tokens"
	"github.com/lro-go/lro/fakes"
	"github.com/lro-go/lro/transport"
)

// service prints the Authorization header of each request.
var service = &fakes.Transport{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
	fmt.Println(r.Header.Get("Authorization"))
})}

func ExampleIBM() {
	iam := fakes.Client(&issuer{answer: json(http.StatusOK, ibmToken)})
	client := transport.NewClient(&transport.Options{
		Base:  service,                                                   // omit this in a real program
		Token: tokens.IBM("an API key", &tokens.IBMOptions{Client: iam}), // pass nil instead of the options in a real program
	})
	for range 2 {
		resp, err := client.Get("https://resource-controller.cloud.ibm.com/v2/resource_instances") //nolint:noctx // an Example
		if err != nil {
			fmt.Println(err)
			return
		}
		resp.Body.Close()
	}
	// Output:
	// Bearer token-1
	// Bearer token-1
}

func ExampleClientCredentials() {
	login := fakes.Client(&issuer{answer: json(http.StatusOK, oauthToken)})
	config := &clientcredentials.Config{ClientID: "id", ClientSecret: "secret", TokenURL: "https://login.test/token"}
	client := transport.NewClient(&transport.Options{
		Base:  service,                                 // omit this in a real program
		Token: tokens.ClientCredentials(config, login), // pass nil instead of login in a real program
	})
	resp, err := client.Get("https://service.test/") //nolint:noctx // an Example
	if err != nil {
		fmt.Println(err)
		return
	}
	resp.Body.Close()
	// Output: Bearer token-1
}
