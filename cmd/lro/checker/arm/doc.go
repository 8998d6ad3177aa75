// Package arm has the rules for long-running operations of Azure Resource Manager, and reads
// responses the way these rules do.
//
// The specification is the Asynchronous API Reference and, for errors, headers and pages, the
// Resource Provider API v2.0. Where the two differ, the former decides.
//
// Each file has the rules about one topic, in a table: the first response, the URLs in headers, the
// headers of every response, the status document, its words, the resource, the Location, DELETE,
// errors, listings, and probes. Protocol says where the status of an operation is and what a
// response means. The package sends nothing.
package arm
