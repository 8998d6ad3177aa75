// Package resource has the rules of Azure Resource Manager about the resource of an operation: what reads
// find while it is created, changed or deleted and after that, and which requests are refused.
//
// Each table is the variable of a file, and each function returns one rule. Tables returns the
// tables. Package arm knows what a response means.
package resource

import "github.com/lro-go/lro/cmd/lro/checker/rule"

// Tables returns the tables of this package.
func Tables() []rule.Table { return []rule.Table{resource, deletion, refused} }
