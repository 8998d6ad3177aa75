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

// A row of the table of features says of each subject what a test sees it do. The
// test is in the row, and what it sees is compared with what the row says, so that a
// release that does other makes it fail, and the table is corrected.
type row struct {
	feature                string
	azcore, hashicorp, lro string
	see                    observer
}

// An observer lets a subject do what a row is about, in simulated time, and says in
// the words of the table what it did.
type observer func(t *testing.T, subject string) string

// A theme is the rows of one file.
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
	{"In the caller's hands", "drive_test.go", driveRows},
	{"What a function reads", "watch_test.go", watchRows},
	{"Listings", "listing_test.go", listingRows},
	{"Around it", "house_test.go", houseRows},
}

var peers = []string{azcore, hashicorp, lro}

func (r row) says(subject string) string {
	return map[string]string{azcore: r.azcore, hashicorp: r.hashicorp, lro: r.lro}[subject]
}

// name is that of the observer, by which a single row is run.
func (r row) name() string {
	full := runtime.FuncForPC(reflect.ValueOf(r.see).Pointer()).Name()
	return full[strings.LastIndex(full, ".")+1:]
}

// TestFeatures has each subject do what each row is about.
func TestFeatures(t *testing.T) {
	log.SetOutput(io.Discard) // go-azure-sdk's, as providers do
	for _, th := range themes {
		for _, r := range th.rows {
			t.Run(r.name(), func(t *testing.T) { seen(t, r) })
		}
	}
}

// TestFeaturesAreNamed: each row has an observer of its own, which stands, as the
// README says, in the file of its theme.
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
					t.Errorf("%s\nthe table says: %s\nthis is seen:   %s", r.feature, want, got)
				}
			})
		})
	}
}

var update = flag.Bool("update", false, "write the table into the README of the module")

// TestFeaturesTable holds the table in the README to the rows.
func TestFeaturesTable(t *testing.T) {
	const name, begin, end = "../../../README.md", "<!-- features -->\n", "<!-- end of features -->"
	text, err := os.ReadFile(name)
	must(t, err)
	before, rest, found := strings.Cut(string(text), begin)
	was, after, ended := strings.Cut(rest, end)
	table := "\n" + featuresTable(t) + "\n"
	switch {
	case !found || !ended:
		t.Error("README.md has no place for the table")
	case was == table:
	case *update:
		must(t, os.WriteFile(name, []byte(before+begin+table+end+after), 0o644))
	default:
		t.Error("README.md has another table: go test ./features -update")
	}
}

func featuresTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "| | azcore %s | go-azure-sdk %s | lro | test |\n|---|---|---|---|---|\n",
		versionOf(t, "github.com/Azure/azure-sdk-for-go/sdk/azcore"), versionOf(t, "github.com/hashicorp/go-azure-sdk/sdk"))
	for _, th := range themes {
		fmt.Fprintf(&b, "| **[%s](internal/bench/features/%s)** | | | | |\n", th.name, th.file)
		for _, r := range th.rows {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | `%s` |\n", r.feature, r.azcore, r.hashicorp, r.lro, r.name())
		}
	}
	return b.String()
}

// versionOf is that of a module which go.mod requires.
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
