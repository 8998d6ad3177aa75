// Package arm implements the strategies of Azure Resource Manager. Package
// [github.com/lro-go/lro/poller] uses [Auto] by default, so you need this package only to choose
// another strategy, as in poller.Options{Strategy: arm.Location}.
//
// The package interprets ARM's headers, status words and bodies: which URL to poll, what a response
// means, and where the result is. It does not decide when to read a URL, how to count failed reads,
// or what a resume token contains.
package arm
