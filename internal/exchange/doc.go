// Package exchange describes one HTTP exchange, for package transport and the layers above it.
//
// It covers:
//
//   - which origins a request may go to: [Origins]
//   - the settings and time limits in a request's context: [Settings], [Timed]
//   - what the transport reports about the requests that it sent: [Sent]
//   - whether the service may have seen a request that got no response: [Unsent]
//   - which headers later requests repeat: [Propagated]
//   - which requests a service throttles together: [ThrottleKey]
//   - a response's error, IDs and requested pause: [NewStatusError], [ErrorDetail], [RequestID],
//     [RetryAfter]
//   - how many exchanges with a host may be in progress at once: [Crowd]
//
// It sends no requests, and does not depend on operations.
//
// A layer above the transport passes its settings with [WithSettings], and gets the transport's
// report from [SentOf]. The transport reads the settings with [SettingsOf].
package exchange
