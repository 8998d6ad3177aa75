// Package ibm has the rules for long-running operations of IBM Cloud, and reads responses the way
// these rules do.
//
// The specification is the page "Long-running operations" of the IBM Cloud API handbook. It allows two
// ways to report a status, which Operation and Resource read: in an operation resource, or in the
// resource that the operation acts on. OperationTables and ResourceTables have the rules for each.
//
// Each file has the rules about one topic, in a table: the first response, the operation resource, its
// end, cancellation, and the resource with a status. The package sends nothing.
package ibm
