// Package rule defines what a rule of a specification is, and applies it to an observed operation.
//
// A Rule contains a sentence of the specification, how serious it is to break the rule, and what happens
// to clients then. Its functions On and Broken select the exchanges that the rule is about, and say what
// is wrong with one of them. Both are pure functions. A Finding says that an operation breaks a rule,
// with the exchange that proves it.
//
// The packages arm and ibm have the rules. Package trace has the observed operations.
package rule
