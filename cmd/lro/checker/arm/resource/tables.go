// Package resource holds the rules of Azure Resource Manager for the resource that an operation
// acts on: what reads of the resource return during and after the operation, and which requests the
// service must refuse.
//
// Each file defines one table of rules, as a variable, and a function for each rule. Tables returns
// all tables. Package arm interprets the responses.
package resource

import "github.com/lro-go/lro/cmd/lro/checker/rule"

// Tables returns the tables of this package.
func Tables() []rule.Table { return []rule.Table{resource, deletion, refused} }
