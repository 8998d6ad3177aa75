package wire

import "slices"

// List returns the normalized origins.
func (o Origins) List() []string { return slices.Clone(o.list) }
