// Package features checks that azcore, go-azure-sdk and lro behave as the table in docs/compared.md
// says. It has only tests, one for each row of the table. The test of a row fails if a library
// behaves differently. The first command runs the test of one row, and the second one updates the
// tables:
//
//	go test -v -run TestFeatures/retryAfterDate
//	go test -update
package features
