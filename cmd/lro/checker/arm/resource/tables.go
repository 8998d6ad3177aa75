// Package resource holds the Azure Resource Manager rules for the resource that an operation acts
// on: what reads of the resource return, which requests the service must refuse, and how it
// responds to a request to cancel the operation.
//
// Each topic has its own file, with a table of its rules and a function for each rule. Tables
// returns all tables. Package arm interprets the responses.
package resource

import "github.com/lro-go/lro/cmd/lro/checker/rule"

// Tables returns the package's tables of rules.
func Tables() []rule.Table { return []rule.Table{resource, deletion, refused} }
