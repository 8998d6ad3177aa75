// Package messages holds the Azure Resource Manager rules for single messages: the first response,
// URLs in headers, the headers and bodies of all responses, errors, and listings.
//
// Each topic has its own file, with a table of its rules and a function for each rule. Tables
// returns all tables. Package arm interprets the responses.
package messages

import "github.com/lro-go/lro/cmd/lro/checker/rule"

// Tables returns the package's tables of rules.
func Tables() []rule.Table { return []rule.Table{firstResponse, urls, headers, refusals, listing} }
