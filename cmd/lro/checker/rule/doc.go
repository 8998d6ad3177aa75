// Package rule defines the types Rule and Finding, and applies rules to an observed operation.
//
// A Rule contains a sentence from the specification, a severity, and what happens to clients if a
// service breaks the rule. Its On function selects the exchanges that the rule applies to. Its
// Broken function describes the mistake in one of them. A Finding reports that an operation breaks
// a rule, and contains the exchange that proves it.
//
// Package ibm and the packages below arm define the rules. Package trace holds the observed
// operations.
package rule
