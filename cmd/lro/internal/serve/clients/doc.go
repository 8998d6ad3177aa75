// Package clients tests lro serve with clients that share no code with this repository: azcore, and
// @azure/core-lro in Node.
//
// It has a module of its own, so that go install of lro does not download azcore.
package clients
