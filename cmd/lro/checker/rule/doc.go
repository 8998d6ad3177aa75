// Package rule defines what a rule of a specification is, and applies it to an observed operation.
//
// A Rule contains a sentence from the specification, a severity, and what happens to clients if a
// service breaks the rule. Its function On selects the exchanges that the rule applies to. Its
// function Broken describes the mistake in one of them. A Finding reports that an operation breaks
// a rule, and contains the exchange that proves it.
//
// Package ibm and the packages below arm define the rules. Package trace holds the observed operations.
package rule
