// Package clients tests lro serve with clients that share no code with this
// repository: azcore, and @azure/core-lro in Node.
//
// The module is separate so that installing lro with go install does not download azcore.
package clients
