// Package features checks that azcore, go-azure-sdk and lro behave as the table in docs/compared.md
// says. It has only tests. Each row of the table has its own test, which fails if a library behaves
// differently. The first of these commands runs one row's test, and the second updates the table
// and the rows that the main README repeats:
//
//	go test -v -run TestFeatures/retryAfterDate
//	go test -update
package features
