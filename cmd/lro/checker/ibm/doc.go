// Package ibm interprets the responses of IBM Cloud's long-running operations, and has the rules for
// them.
//
// The specification is the page "Long-running operations" of the IBM Cloud API handbook. It allows a
// service to report the status in an operation resource, or in the resource that the operation acts on.
// Operation and OperationTables are for the first way, Resource and ResourceTables for the second.
//
// Each file has the rules about one topic, in a table: the first response, the operation resource, its
// end, cancellation, and the resource with a status. The package sends nothing.
package ibm
