package house

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A dependency is a module that a module of this repository requires, directly or indirectly. If no
// build needs its code, dir is "".
type dependency struct{ path, version, dir string }

// format makes go list print the path, version and folder of each package's module, except the main
// module.
const format = `{{with .Module}}{{if not .Main}}{{.Path}}{{"\t"}}{{.Version}}{{"\t"}}{{.Dir}}{{end}}{{end}}`

// linked returns the modules that are linked into a program that imports all packages of the module
// in dir. It combines the lists for Linux, Windows and macOS.
func linked(t *testing.T, dir string) []dependency {
	var all []dependency
	for _, system := range []string{"linux", "windows", "darwin"} {
		all = append(all, built(t, dir, system, "-deps")...)
	}
	return sorted(all)
}

// tested returns the modules that only the root module's tests use.
func tested(t *testing.T) []dependency {
	return without(built(t, ".", "linux", "-deps", "-test"), linked(t, "."))
}

// named returns the modules whose code is never built. They affect only version selection.
func named(t *testing.T) []dependency {
	all := goCommand(t, ".", "", "list", "-mod=readonly", "-m", "-f", `{{if not .Main}}{{.Path}}{{"\t"}}{{.Version}}{{"\t"}}{{end}}`, "all")
	return without(dependencies(all), built(t, ".", "linux", "-deps", "-test"))
}

func built(t *testing.T, dir, system string, flags ...string) []dependency {
	t.Helper()
	return dependencies(goCommand(t, dir, system, slices.Concat([]string{"list", "-mod=readonly"}, flags, []string{"-f", format, "./..."})...))
}

func dependencies(listing string) []dependency {
	var all []dependency
	for line := range strings.Lines(listing) {
		if f := strings.Split(strings.TrimRight(line, "\r\n"), "\t"); len(f) == 3 {
			all = append(all, dependency{f[0], f[1], f[2]})
		}
	}
	return sorted(all)
}

func sorted(all []dependency) []dependency {
	slices.SortFunc(all, func(a, b dependency) int { return strings.Compare(a.path, b.path) })
	return slices.Compact(all)
}

func without(all, those []dependency) []dependency {
	return slices.DeleteFunc(all, func(d dependency) bool {
		return slices.ContainsFunc(those, func(o dependency) bool { return o.path == d.path })
	})
}

// goCommand runs the go command in a folder of the repository. If system is not "", the command
// targets that operating system on amd64, without cgo.
func goCommand(t *testing.T, dir, system string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Env = filepath.Join("../..", dir), append(os.Environ(), "GOWORK=off")
	if system != "" {
		cmd.Env = append(cmd.Env, "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
	}
	var failure strings.Builder
	cmd.Stderr = &failure
	out, err := cmd.Output()
	require.NoError(t, err, "go %s: %s", strings.Join(args, " "), failure.String())
	return string(out)
}

// go.mod has no directives such as replace or exclude, because modules that import this one ignore
// them.
func TestGoModDirectives(t *testing.T) {
	var mod struct{ Exclude, Replace, Tool, Ignore []any }
	require.NoError(t, json.Unmarshal([]byte(goCommand(t, ".", "", "mod", "edit", "-json")), &mod))
	require.Empty(t, mod.Replace, "replace: modules that import this one ignore it and get the original module")
	require.Empty(t, mod.Exclude, "exclude: modules that import this one ignore it")
	require.Empty(t, mod.Tool, "tool: .ci/run states the version of each tool where it runs the tool")
	require.Empty(t, mod.Ignore, "ignore: a folder that is not part of the module has its own go.mod")
}

// README.md and CONTRIBUTING.md name the oldest Go release that the module supports, the one in
// go.mod. SECURITY.md names this release and the next.
func TestGoReleases(t *testing.T) {
	var minor int
	_, line, _ := strings.Cut(readFile(t, "go.mod"), "\ngo 1.")
	_, err := fmt.Sscanf(line, "%d", &minor)
	require.NoError(t, err)
	require.Contains(t, readFile(t, "README.md"), fmt.Sprintf("Go 1.%d or later", minor))
	require.Contains(t, readFile(t, "CONTRIBUTING.md"), fmt.Sprintf("Go 1.%d or later", minor))
	require.Contains(t, readFile(t, "SECURITY.md"), fmt.Sprintf("Go 1.%d and Go 1.%d", minor, minor+1))
}
