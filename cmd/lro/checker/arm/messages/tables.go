// Package messages has the rules of Azure Resource Manager about single messages: the first response of
// an operation, URLs in headers, the headers and bodies of all responses, errors, and pages of a listing.
//
// Each file has one table of rules, in a variable, and a function for each rule. Tables returns the
// tables. Package arm knows what a response means.
package messages

import "github.com/lro-go/lro/cmd/lro/checker/rule"

// Tables returns the tables of this package.
func Tables() []rule.Table { return []rule.Table{firstResponse, urls, headers, refusals, listing} }
