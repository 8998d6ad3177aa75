// Package arm interprets the responses of Azure Resource Manager: Protocol knows where the status of a
// long-running operation is, and what a response means. The packages below arm have the rules.
//
// The specification is the Asynchronous API Reference and, for errors, headers and pages, the
// Resource Provider API v2.0. Where the two differ, the former decides. The package sends nothing.
package arm
