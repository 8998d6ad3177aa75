// Package conformance runs the scenarios of an independent server against the poller, the
// pager and the transport.
//
// The server is @microsoft.azure/autorest.testserver, which tests the generated Azure clients.
// The package contains only tests; README.md explains how to run them.
package conformance
