// Package conformance plays the scenarios of a server that is not ours against
// the poller, the pager and the transport.
//
// The server is @microsoft.azure/autorest.testserver, with which the generated
// Azure clients are tested. It has only tests; README.md says how to run them.
package conformance
