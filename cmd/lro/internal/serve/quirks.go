package serve

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lro-go/lro/fakes/quirks"
)

func quirksCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "quirks",
		Short: "List the names for --quirk, and what each of them changes",
		Long: `Lists the names for --quirk, and what each of them changes. A name such as W18 is
a row of docs/quirks.md, which says which services have the quirk.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, q := range sorted() {
				if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%-22s %s\n", q, q.About()); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// sorted returns all quirks in numerical order, so that W2 comes before W10.
func sorted() []quirks.Quirk {
	all := quirks.All()
	slices.SortStableFunc(all, func(a, b quirks.Quirk) int { return cmp.Compare(row(a), row(b)) })
	return all
}

// row returns the number in a quirk's name, or 0 if there is none.
func row(q quirks.Quirk) (n int) {
	name, _, _ := strings.Cut(string(q), "/")
	n, _ = strconv.Atoi(strings.TrimPrefix(name, "W"))
	return n
}

// completions returns the names and descriptions of all quirks, for shell completion.
func completions() (names []string) {
	for _, q := range sorted() {
		names = append(names, string(q)+"\t"+q.About())
	}
	return names
}

// quirkNames implements pflag.Value for --quirk.
type quirkNames []quirks.Quirk

func (names *quirkNames) String() string { return "" }
func (names *quirkNames) Type() string   { return "name" }

func (names *quirkNames) Set(s string) error {
	q, ok := quirks.ByName(s)
	if !ok {
		return fmt.Errorf("%s; lro serve quirks lists all names", similar(s))
	}
	*names = append(*names, q)
	return nil
}

// similar suggests quirks for the unknown name s. For example, it suggests W9/200 and W9/flag for
// W9.
func similar(s string) string {
	row, _, _ := strings.Cut(strings.ToUpper(s), "/")
	var found []string
	for _, q := range quirks.All() {
		if of, _, _ := strings.Cut(string(q), "/"); strings.EqualFold(of, row) {
			found = append(found, string(q))
		}
	}
	if len(found) == 0 {
		return "want a name such as W3 or W9/flag"
	}
	return "want " + strings.Join(found, " or ")
}
