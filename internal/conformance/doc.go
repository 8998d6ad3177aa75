// Package conformance runs an independent server's scenarios against the poller, the pager and the
// transport.
//
// The server is @microsoft.azure/autorest.testserver, which tests the generated Azure clients. The
// package contains only tests. README.md explains how to run them. The tests have their own package
// because one server, which needs Node, tests all three packages.
package conformance
