// Package features plays the conversations of the table in docs/compared.md, with azcore, with
// go-azure-sdk and with this module. It has only tests: each row of the table is one, and fails
// when a subject behaves differently from what the row says.
//
//	go test -v -run TestFeatures/retryAfterDate
//	go test -update
package features
