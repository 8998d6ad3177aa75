// Package security has no code. Its tests play hostile services, redirects and tokens
// against the pollers and the pager, and check that no request leaves the allowed origins
// and that no error, log record or printed value shows a secret.
package security
