// Package rules provides the rules of each specification. The function For returns the rules of one
// specification, and All returns the rules of all specifications. Package ibm and the packages
// below arm define the rules.
package rules

import (
	"slices"
	"sync"

	armmessages "github.com/lro-go/lro/cmd/lro/checker/arm/messages"
	armresource "github.com/lro-go/lro/cmd/lro/checker/arm/resource"
	armstatus "github.com/lro-go/lro/cmd/lro/checker/arm/status"
	"github.com/lro-go/lro/cmd/lro/checker/ibm"
	"github.com/lro-go/lro/cmd/lro/checker/rule"
)

// The names of the specifications.
const (
	ARM          = "arm"           // Azure Resource Manager: mostly the Asynchronous API Reference and the Resource Provider API
	IBMOperation = "ibm-operation" // the IBM Cloud API handbook, for services with operation resources
	IBMResource  = "ibm-resource"  // the IBM Cloud API handbook, for services whose resources contain the status
)

// Specs returns the names of all specifications.
func Specs() []string { return []string{ARM, IBMOperation, IBMResource} }

// For returns the rules of a specification, or nil if the name is unknown.
func For(spec string) []*rule.Rule {
	switch spec {
	case ARM:
		return arm()
	case IBMOperation:
		return ibmOperation()
	case IBMResource:
		return ibmResource()
	}
	return nil
}

// All returns the rules of all specifications.
func All() (all []*rule.Rule) {
	for _, spec := range Specs() {
		all = append(all, For(spec)...)
	}
	return all
}

var arm = sync.OnceValue(func() []*rule.Rule {
	return rule.Join(slices.Concat(armmessages.Tables(), armstatus.Tables(), armresource.Tables())...)
})

var ibmOperation = sync.OnceValue(func() []*rule.Rule { return rule.Join(ibm.OperationTables()...) })

var ibmResource = sync.OnceValue(func() []*rule.Rule { return rule.Join(ibm.ResourceTables()...) })
