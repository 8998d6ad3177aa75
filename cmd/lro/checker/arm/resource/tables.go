// Package resource has the rules of Azure Resource Manager about the resource of an operation: what reads
// of it return during and after an operation, and which requests the service has to refuse.
//
// Each file has one table of rules, in a variable, and a function for each rule. Tables returns the
// tables. Package arm knows what a response means.
package resource

import "github.com/lro-go/lro/cmd/lro/checker/rule"

// Tables returns the tables of this package.
func Tables() []rule.Table { return []rule.Table{resource, deletion, refused} }
