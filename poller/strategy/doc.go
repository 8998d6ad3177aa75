// Package strategy defines the interface and the types for implementing a protocol for long-running
// operations. To support a protocol, implement [Strategy], and set your implementation in the
// Options of package [github.com/lro-go/lro/poller]:
//
//	p, err := poller.Begin[Widget](req, client, &poller.Options{Strategy: myProtocol{}})
//
// A Strategy receives each response as an [Answer] and returns a [Move]: the [Status] that the
// response reports, the next URL to read, and the [Result]. docs/writing-a-strategy.md shows how to
// write a Strategy. To test it against your own server, make that server the Handler of a
// fakes.Transport.
//
// This package is pure: it sends nothing, reads no clock and holds no state. The poller decides
// when and how often to read, and what to do after a failed read.
//
// Callers that only follow operations do not need this package, because package poller has the same
// types under the same names: [Strategy], [Status], [State], [Request] and [FinalStateVia].
//
// Package [github.com/lro-go/lro/poller/arm] provides strategies for Azure Resource Manager, and
// package [github.com/lro-go/lro/poller/ibmcloud] provides strategies for IBM Cloud. Package
// [github.com/lro-go/lro/poller/resource] provides a strategy for any resource that shows a status.
// Package [github.com/lro-go/lro/poller/check] provides wrappers that also read another document,
// to confirm or replace a status.
package strategy
