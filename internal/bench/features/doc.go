// Package features checks that azcore, go-azure-sdk and lro behave as the table in docs/compared.md says.
// It has only tests, one for each row of the table. The test of a row fails if a library behaves
// differently.
//
//	go test -v -run TestFeatures/retryAfterDate
//	go test -update
package features
