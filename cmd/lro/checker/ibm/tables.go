package ibm

import "github.com/lro-go/lro/cmd/lro/checker/rule"

// OperationTables returns the rules for a service with operation resources.
func OperationTables() []rule.Table { return []rule.Table{first, document, end, cancels} }

// ResourceTables returns the rules for a service whose resources contain the status of their operations.
func ResourceTables() []rule.Table { return []rule.Table{subject} }
