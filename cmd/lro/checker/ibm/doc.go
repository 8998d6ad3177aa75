// Package ibm interprets what IBM Cloud services report about long-running operations, and holds
// the rules for these services.
//
// The specification is the page "Long-running operations" of the IBM Cloud API handbook. A service
// may report the status in an operation resource, or in the resource that the operation acts on.
// Operation and OperationTables are for services with operation resources. Resource and
// ResourceTables are for services whose resources contain the status.
//
// The rules are in one file per topic: the first response in first.go, the operation resource in
// document.go, the end of the operation in end.go, cancellation in cancel.go, and the resource with
// a status in subject.go. The package sends no requests.
package ibm
