// Package security contains only tests. They expose the pollers and the pager to hostile services,
// redirects and tokens, and check that no request leaves the allowed origins and that no error, log
// record or printed value shows a secret. They are in a package of their own because they try each
// attack on every way into the module.
package security
