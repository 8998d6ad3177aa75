package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	_ "github.com/lro-go/lro/poller/aip151" // so that this binary contains all of the module's packages below poller
	_ "github.com/lro-go/lro/poller/fhir"
	_ "github.com/lro-go/lro/poller/ibmcloud"
	_ "github.com/lro-go/lro/poller/redfish"
)

// initPrefixes maps each subject to the prefix of its packages' import paths.
var initPrefixes = map[string]string{
	lro:       "github.com/lro-go/lro/",
	azcore:    "github.com/Azure/azure-sdk-for-go/sdk/",
	hashicorp: "github.com/hashicorp/go-azure-sdk/",
}

// initialized reruns this binary with GODEBUG=inittrace=1. It returns how many bytes each subject's
// own packages allocate during initialization.
func initialized(t *testing.T) map[string]float64 {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	must(t, err)
	sums, all := map[string]float64{}, 0
	for scanner := bufio.NewScanner(bytes.NewReader(out)); scanner.Scan(); {
		var at, clock, size float64
		var path string
		// Example: init net/http @1.6 ms, 0.023 ms clock, 4712 bytes, 49 allocs
		if n, _ := fmt.Sscanf(scanner.Text(), "init %s @%f ms, %f ms clock, %f bytes", &path, &at, &clock, &size); n < 4 {
			continue
		}
		all++
		for subject, prefix := range initPrefixes {
			if strings.HasPrefix(path, prefix) && !strings.HasPrefix(path, initPrefixes[lro]+"internal/bench") {
				sums[subject] += size
			}
		}
	}
	if all == 0 {
		t.Fatalf("GODEBUG=inittrace=1 printed no package:\n%.1000s", out)
	}
	return sums
}

func initLine(t *testing.T) line {
	t.Helper()
	const name = "initialization of the packages, without the libraries they import"
	return line{"init", name, []metric{{name: "bytes", write: kB, of: initialized(t)}}}
}

// maxInit is the maximum number of bytes that lro's own packages may allocate during
// initialization.
const maxInit = 20_000

func TestInit(t *testing.T) {
	if got := initialized(t)[lro]; got > maxInit {
		t.Errorf("the packages allocate %.0f bytes when they are initialized, limit %d", got, maxInit)
	}
}
