// Package clients tests lro serve with clients that share no code with this repository: azcore, and
// @azure/core-lro in Node.
//
// It has its own module, so that the module of lro does not depend on azcore.
package clients
