// Package messages has the rules of Azure Resource Manager about single messages: the first response of
// an operation, the URLs in its headers, what every response has, errors, and pages of a listing.
//
// Each table is the variable of a file, and each function returns one rule. Tables returns the
// tables. Package arm knows what a response means.
package messages

import "github.com/lro-go/lro/cmd/lro/checker/rule"

// Tables returns the tables of this package.
func Tables() []rule.Table { return []rule.Table{firstResponse, urls, headers, refusals, listing} }
