// Package features checks that azcore, go-azure-sdk and lro behave as the table in docs/compared.md
// says. It has only tests, one for each row of the table. A row's test fails if a library behaves
// differently. The first of these commands runs one row's test, and the second updates the tables:
//
//	go test -v -run TestFeatures/retryAfterDate
//	go test -update
package features
