// Package bench measures the cost of lro and of other libraries, such as azcore and go-azure-sdk,
// in one run.
//
// It is a separate module, so that the main module does not require the other libraries. It has
// only tests. The README.md in its directory has the commands and their results. Package features
// compares how the libraries behave with the same service.
package bench
