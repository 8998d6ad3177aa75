// Package security contains only tests. They expose the pollers and the pager to hostile services,
// redirects and tokens, and check that no request leaves the allowed origins and that no error, log
// record or printed value shows a secret. They are in a package of their own because each attack is
// tried on all ways into the module.
package security
