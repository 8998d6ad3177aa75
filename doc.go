// Package lro follows long-running management operations of Azure Resource Manager, IBM Cloud and
// similar services, from the first response to a typed result or a typed error.
//
// It is for management clients, Terraform providers and Kubernetes controllers whose operations may
// take days. Waiting for such an operation must survive a restart. For a client generated for
// azcore that waits only a few minutes, in one process, azcore's own poller is enough. For a single
// private API with one kind of operation, a loop is enough.
//
// This package itself contains no code. Most callers need poller.Begin and PollUntilDone:
//
//	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, body)
//	if err != nil {
//		return Widget{}, err
//	}
//	p, err := poller.Begin[Widget](req, client, opts)
//	if err != nil {
//		return Widget{}, err
//	}
//	return p.PollUntilDone(ctx)
//
// The packages:
//
//   - [github.com/lro-go/lro/poller]: follows one operation, or many in a Group; start here
//   - [github.com/lro-go/lro/poller/strategy]: the types for implementing your own protocol
//   - [github.com/lro-go/lro/poller/arm]: the strategies for Azure Resource Manager
//   - [github.com/lro-go/lro/poller/resource]: the strategy for services that report the status in
//     the resource
//   - [github.com/lro-go/lro/poller/ibmcloud], [github.com/lro-go/lro/poller/aip151]: the protocols
//     of IBM Cloud and Google
//   - [github.com/lro-go/lro/poller/redfish], [github.com/lro-go/lro/poller/fhir]: the protocols of
//     Redfish and FHIR
//   - [github.com/lro-go/lro/poller/check]: wraps a strategy so that it also reads the resource
//   - [github.com/lro-go/lro/poller/lroazcore]: combines lro with azcore; a separate module
//   - [github.com/lro-go/lro/poller/lrotel]: OpenTelemetry spans and metrics; a separate module
//   - [github.com/lro-go/lro/poller/lrotf]: operations in Terraform providers; a separate module
//   - [github.com/lro-go/lro/pager]: reads listings of any size, page by page
//   - [github.com/lro-go/lro/transport]: authorizes, retries and throttles HTTP requests
//   - [github.com/lro-go/lro/errors]: the error types
//   - [github.com/lro-go/lro/fakes]: simulated services for testing a client
//
// An operation is in progress until the service reports a terminal state:
//
//	Begin, New, Resume
//	        |
//	        v
//	   InProgress <-----> read again at NextPoll, even after a failed read
//	    |   |   |
//	    |   |   +-------> *WaitError: the wait stopped; the operation may continue
//	    |   +-----------> *OperationError: it failed or was canceled
//	    v
//	Succeeded ----------> the result, or *ResultError: read it again
//
// The pages in https://github.com/lro-go/lro/tree/main/docs describe the contracts:
//
//   - pace.md: contexts, deadlines, and when the status is read
//   - errors.md and tokens.md: how to handle each error, and how to resume in another process
//   - authenticate.md and SECURITY.md: credentials, and where requests may go
//   - testing.md: testing with the fakes, without real waiting
//   - concurrency.md: locks, panics, and which calls may wait
//
// The module requires Go 1.26. The API may change before v1; CHANGELOG.md lists the changes.
package lro
