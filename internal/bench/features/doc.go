// Package features plays the conversations of the table of features in the root's
// README.md, with azcore, with go-azure-sdk and with this module. It has only tests:
// the table is their rows, and each row has the test that it says the outcome of.
//
//	go test -v -run TestFeatures/retryAfterDate
//	go test -update
package features
