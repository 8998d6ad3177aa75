// Package features checks the table in docs/compared.md against azcore, go-azure-sdk and this
// module. It has only tests, one for each row of the table. The test of a row fails if a library
// does not behave the way the row says.
//
//	go test -v -run TestFeatures/retryAfterDate
//	go test -update
package features
