// Package arm has the strategies of Azure Resource Manager, for use as the Strategy of the Options
// of package [github.com/lro-go/lro/poller]. Package poller uses [ARM] by default, so import this
// package only to name another strategy:
//
//	p, err := poller.Begin[Widget](req, client, &poller.Options{Strategy: arm.Location})
//
// The package knows ARM's headers, status words and bodies: which header of the first response
// names the URL to poll, what each later response means, and where the result is. It does not know
// when the URL is read, how failed reads are counted, or what a resume token contains; the poller
// does. Like a strategy of your own, it uses only packages strategy and check, and in addition an
// internal reader of ARM's documents.
//
// Its door is the Step method of each strategy.
package arm
