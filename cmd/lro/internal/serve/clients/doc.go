// Package clients tests lro serve with clients that share no code with this repository: azcore, and
// @azure/core-lro in Node.
//
// It is a separate module, so that the lro module does not depend on azcore.
package clients
