// Package status has the rules of Azure Resource Manager about the status of an operation: reading the
// status document, its members and words, and reading the Location.
//
// Each file has one table of rules, in a variable, and a function for each rule. Tables returns the
// tables. Package arm knows what a response means.
package status

import "github.com/lro-go/lro/cmd/lro/checker/rule"

// Tables returns the tables of this package.
func Tables() []rule.Table { return []rule.Table{monitor, document, words, results} }
