// Package ibm interprets the responses of IBM Cloud's long-running operations, and holds the rules for
// them.
//
// The specification is the page "Long-running operations" of the IBM Cloud API handbook. It allows
// a service to report the status in an operation resource, or in the resource that the operation
// acts on. Operation and OperationTables are for services with operation resources. Resource and
// ResourceTables are for services whose resources contain the status.
//
// Each of the files first.go, document.go, end.go, cancel.go and subject.go holds a table with the
// rules about one topic: the first response, the operation resource, the end of the operation,
// cancellation, and the resource with a status. The package sends no requests.
package ibm
