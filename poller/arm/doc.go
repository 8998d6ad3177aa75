// Package arm implements the strategies of Azure Resource Manager. Package
// [github.com/lro-go/lro/poller] uses [Auto] by default, so import this package only to set another
// strategy:
//
//	p, err := poller.Begin[Widget](req, client, &poller.Options{Strategy: arm.Location})
//
// The package knows ARM's headers, status words and bodies: which header of the first response
// names the URL to poll, what each later response means, and where the result is. It does not know
// when the URL is read, how failed reads are counted, or what a resume token contains. Its entry
// point is the Step method.
package arm
