// Package messages holds the rules of Azure Resource Manager for single messages: the first response of an
// operation, URLs in headers, the headers and bodies of all responses, errors, and listings.
//
// Each file defines one table of rules, as a variable, and a function for each rule. Tables returns
// all tables. Package arm interprets the responses.
package messages

import "github.com/lro-go/lro/cmd/lro/checker/rule"

// Tables returns the tables of this package.
func Tables() []rule.Table { return []rule.Table{firstResponse, urls, headers, refusals, listing} }
