// Package security contains only tests, most of which use several packages of the module. They
// expose pollers and pagers to hostile services, redirects and tokens. They check that no request
// leaves the allowed origins, and that no error, log record or printed value shows a secret.
package security
