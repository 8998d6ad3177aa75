// Package ibm interprets the responses of IBM Cloud's long-running operations, and holds the rules for
// them.
//
// The specification is the page "Long-running operations" of the IBM Cloud API handbook. It allows
// a service to report the status in an operation resource, or in the resource that the operation
// acts on. Operation and OperationTables are for services with operation resources. Resource and
// ResourceTables are for services whose resources contain the status.
//
// Each file holds a table with the rules about one topic: the first response, the operation resource, its
// end, cancellation, and the resource with a status. The package sends no requests.
package ibm
