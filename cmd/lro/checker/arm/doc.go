// Package arm interprets the responses of Azure Resource Manager. The methods of Protocol determine
// where to read the status of a long-running operation, and what a response says about the
// operation. The subpackages messages, resource and status hold the rules.
//
// The specification is the Asynchronous API Reference and, for errors, headers and pages, the
// Resource Provider API v2.0. Where the two differ, the Asynchronous API Reference takes
// precedence. The package sends no requests.
package arm
