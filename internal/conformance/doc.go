// Package conformance runs the scenarios of an independent test server against the poller, the
// pager and the transport.
//
// The server is @microsoft.azure/autorest.testserver, against which generated Azure clients are
// tested. The package contains only tests. README.md explains how to run them. The tests have their
// own package because all three packages are tested against the same server, which needs Node.
package conformance
