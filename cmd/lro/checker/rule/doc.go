// Package rule defines what a rule of a specification is, and applies it to an observed operation.
//
// A Rule contains a sentence from the specification and says how serious it is to break the rule and what
// then happens to clients. Its function On selects the exchanges that the rule applies to, and Broken says
// what is wrong with one of them. Both are pure functions. A Finding reports that an operation breaks a
// rule, and contains the exchange that proves it.
//
// Package ibm and the packages below arm define the rules. Package trace holds the observed operations.
package rule
