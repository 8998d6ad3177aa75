// Package rule defines what a rule of a specification is, and judges an observed operation by it.
//
// A Rule names the sentence that a service has to keep, how serious a deviation is, and what a
// client experiences. On selects the exchanges that the rule is about, and Broken says what is wrong
// with one of them. Both are pure functions. A Finding is a deviation with the exchange that
// proves it.
//
// The packages arm and ibm have the rules. Package trace has the observed operations.
package rule
