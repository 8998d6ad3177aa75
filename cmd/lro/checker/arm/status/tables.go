// Package status holds the Azure Resource Manager rules for the status of an operation: reading the
// status document, its members and words, and reading the Location.
//
// Each topic has its own file, with a table of its rules and a function for each rule. Tables
// returns all tables. Package arm interprets the responses.
package status

import "github.com/lro-go/lro/cmd/lro/checker/rule"

// Tables returns the package's tables of rules.
func Tables() []rule.Table { return []rule.Table{monitor, document, words, results} }
