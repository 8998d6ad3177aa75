package checker

import (
	"fmt"
	"net/http"
	"slices"
)

// Plan describes what Check would send, one line per step, without queries or credentials. If o is
// invalid, Plan returns the same error as Check.
func Plan(o *Options) (lines []string, err error) {
	c, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	for _, r := range c.Requests {
		lines = append(lines, plain(r.Method+" "+r.URL)+c.extras(r))
	}
	lines = append(lines, "GET of the URLs in the responses and of the resource: over two connections, until the end and after it")
	if !c.Keep && c.creates() {
		lines = append(lines, "DELETE of what the check has created, at the end, after a failure or after Ctrl-C")
	}
	return lines, nil
}

// extras describes the requests that Check sends in addition to r.
func (o *Options) extras(r Request) string {
	text := ""
	if r.Method == http.MethodDelete && specs[o.Spec].repeatsDelete {
		text += ", twice: the second one after the end"
	}
	if o.Probe && r.Method != http.MethodGet {
		text += fmt.Sprintf(", and invalid requests: %s", specs[o.Spec].probes(r.Method))
	}
	if o.Cancel && r.Method != http.MethodGet {
		text += ", and a request to cancel it"
	}
	return text
}

// creates reports whether any of the requests may create a resource.
func (o *Options) creates() bool {
	return slices.ContainsFunc(o.Requests, func(r Request) bool {
		return slices.Contains([]string{http.MethodPut, http.MethodPost}, r.Method)
	})
}
