// Package status holds the rules of Azure Resource Manager for the status of an operation: reading the
// status document, its members and words, and reading the Location.
//
// Each file defines one table of rules, as a variable, and a function for each rule. Tables returns
// all tables. Package arm interprets the responses.
package status

import "github.com/lro-go/lro/cmd/lro/checker/rule"

// Tables returns the tables of this package.
func Tables() []rule.Table { return []rule.Table{monitor, document, words, results} }
