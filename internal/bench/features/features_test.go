package features

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
)

// A row says what each subject does. Its test fails if the observer sees anything else, for example
// because a new release of a subject behaves differently.
type row struct {
	feature                string
	azcore, hashicorp, lro string
	see                    observer
}

// An observer makes a subject do what its row describes, in simulated time. It returns what the
// subject did, in the table's words.
type observer func(t *testing.T, subject string) string

// A theme groups the rows of one file.
type theme struct {
	name, file string
	rows       []row
}

var themes = []theme{
	{"Protocols", "protocol_test.go", protocolRows},
	{"Pace", "pace_test.go", paceRows},
	{"What a wait survives", "survival_test.go", survivalRows},
	{"Responses", "answers_test.go", answerRows},
	{"Endings", "endings_test.go", endingRows},
	{"Results", "result_test.go", resultRows},
	{"Credentials", "secrets_test.go", secretRows},
	{"Tokens", "tokens_test.go", tokenRows},
	{"Deadlines", "deadlines_test.go", deadlineRows},
	{"Control by the caller", "drive_test.go", driveRows},
	{"Operations that a function reads", "watch_test.go", watchRows},
	{"Listings", "listing_test.go", listingRows},
	{"Other features", "house_test.go", houseRows},
}

// highlights are the observers of the rows that the main README repeats. They include rows in which
// azcore or go-azure-sdk does at least as well as lro.
var highlights = []observer{
	failedAtLocation, resourceNotReady, pageOfHTML, networkLost, answerLost,
	growing, foreignStatus, resumed, goroutines, registers,
}

var peers = []string{azcore, hashicorp, lro}

func (r row) says(subject string) string {
	return map[string]string{azcore: r.azcore, hashicorp: r.hashicorp, lro: r.lro}[subject]
}

// name returns the name of the row's subtest.
func (r row) name() string { return r.see.name() }

// name returns the name of the observer function.
func (o observer) name() string {
	full := runtime.FuncForPC(reflect.ValueOf(o).Pointer()).Name()
	return full[strings.LastIndex(full, ".")+1:]
}

// TestFeatures checks each row against what the subjects do.
func TestFeatures(t *testing.T) {
	log.SetOutput(io.Discard) // go-azure-sdk logs every request
	for _, th := range themes {
		for _, r := range th.rows {
			t.Run(r.name(), func(t *testing.T) { seen(t, r) })
		}
	}
}

// Each row of the feature table has its own observer, in the file that the row links to.
func TestFeaturesAreNamed(t *testing.T) {
	rows := map[string]bool{}
	for _, th := range themes {
		source, err := os.ReadFile(th.file)
		must(t, err)
		for _, r := range th.rows {
			if rows[r.name()] || !strings.Contains(string(source), ", "+r.name()+"},\n") {
				t.Errorf("%s: %q is not the name of one row in %s", r.feature, r.name(), th.file)
			}
			rows[r.name()] = true
		}
	}
}

func seen(t *testing.T, r row) {
	t.Helper()
	for _, subject := range peers {
		t.Run(subject, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if got, want := r.see(t, subject), r.says(subject); got != want {
					t.Errorf("%s\nthe table says:     %s\nthe library does:   %s", r.feature, want, got)
				}
			})
		})
	}
}

var update = flag.Bool("update", false, "write the tables into docs/compared.md and README.md")

// The tables in docs/compared.md and the main README are generated from the rows.
func TestFeaturesTables(t *testing.T) {
	for _, tt := range []struct{ file, name, table string }{
		{"docs/compared.md", "features", featuresTable(t)},
		{"README.md", "highlights", highlightsTable(t)},
	} {
		path := "../../../" + tt.file
		page, err := os.ReadFile(path)
		must(t, err)
		updated, found := replaced(string(page), tt.name, tt.table)
		switch {
		case !found:
			t.Errorf("%s has no markers %q", tt.file, tt.name)
		case updated == string(page):
		case *update:
			must(t, os.WriteFile(path, []byte(updated), 0o644))
		default:
			t.Errorf("the table in %s is out of date: run go test ./features -update", tt.file)
		}
	}
}

// replaced returns page with the text between the named markers replaced by table. It reports
// whether page has these markers.
func replaced(page, name, table string) (string, bool) {
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
	before, rest, begins := strings.Cut(page, begin)
	_, after, ends := strings.Cut(rest, end)
	return before + begin + "\n" + table + "\n" + end + after, begins && ends
}

func TestReplaced(t *testing.T) {
	const page = "a\n<!-- x -->\nold\n<!-- end of x -->\nb\n"
	if got, _ := replaced(page, "x", "new\n"); got != "a\n<!-- x -->\n\nnew\n\n<!-- end of x -->\nb\n" {
		t.Errorf("replaced: %q", got)
	}
	if _, found := replaced(page, "y", ""); found {
		t.Error("replaced reported markers that the page does not have")
	}
}

func featuresTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | test |\n|---|---|---|---|---|\n", versions(t))
	for _, th := range themes {
		fmt.Fprintf(&b, "| **[%s](../internal/bench/features/%s)** | | | | |\n", th.name, th.file)
		for _, r := range th.rows {
			fmt.Fprintf(&b, "| %s | `%s` |\n", r.cells(), r.name())
		}
	}
	return b.String()
}

func highlightsTable(t *testing.T) string {
	t.Helper()
	rows := map[string]row{}
	for _, th := range themes {
		for _, r := range th.rows {
			rows[r.name()] = r
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |\n|---|---|---|---|\n", versions(t))
	for _, o := range highlights {
		fmt.Fprintf(&b, "| %s |\n", rows[o.name()].cells())
	}
	return b.String()
}

func (r row) cells() string {
	return strings.Join([]string{r.feature, r.azcore, r.hashicorp, r.lro}, " | ")
}

// versions returns the column headings that both tables share, with the versions that go.mod
// requires.
func versions(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf("| azcore %s | go-azure-sdk %s | lro",
		versionOf(t, "github.com/Azure/azure-sdk-for-go/sdk/azcore"), versionOf(t, "github.com/hashicorp/go-azure-sdk/sdk"))
}

// versionOf returns the version that go.mod requires for the given module.
func versionOf(t *testing.T, module string) string {
	t.Helper()
	mod, err := os.ReadFile("../go.mod")
	must(t, err)
	_, after, found := strings.Cut(string(mod), "\t"+module+" ")
	if !found {
		t.Fatalf("go.mod does not require %s", module)
	}
	version, _, _ := strings.Cut(after, "\n")
	return version
}
