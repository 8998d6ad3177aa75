// Package security contains only tests. They expose pollers and pagers to hostile services,
// redirects and tokens. They check that no request leaves the allowed origins, and that no error,
// log record or printed value shows a secret. Most of these tests use several packages of the
// module.
package security
