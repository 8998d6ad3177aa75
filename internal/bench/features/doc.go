// Package features checks the table in docs/compared.md against azcore, go-azure-sdk and this
// module. It has only tests: each row of the table is one, which fails if a library behaves
// differently from what the row says.
//
//	go test -v -run TestFeatures/retryAfterDate
//	go test -update
package features
