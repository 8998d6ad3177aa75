//go:build !race

package security

// If everyForm is true, TestRequestsStayWithinOrigins tries every form of URL with
// transport.NewClient. With other clients, it tries the first form of each class.
const everyForm = true
