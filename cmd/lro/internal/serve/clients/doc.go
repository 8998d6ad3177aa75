// Package clients tests lro serve with clients that share no code with this repository: azcore, and
// @azure/core-lro in Node.
//
// It has its own module, so that go install of lro does not download azcore.
package clients
