package engine

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"unique"

	"github.com/lro-go/lro/internal/exchange"
)

// A firstHeader stores the headers of a first response in much less memory than a map would need.
// The responses of a service usually have the same header names, so all operations share one copy
// of the names.
type firstHeader struct {
	names  unique.Handle[string] // the name of each value, one per line
	values string                // the values, one per line; omitted stands for the URL of the status
}

const omitted = "\x00"

// cleanHeader replaces what separates values, and omitted. Neither is valid in a header (RFC 9110,
// section 5.5), but a Doer can return any text.
var cleanHeader = strings.NewReplacer("\n", " ", omitted, " ")

func newFirstHeader(h http.Header, poll exchange.Link) firstHeader {
	sorted := slices.AppendSeq(make([]string, 0, len(h)), maps.Keys(h))
	slices.Sort(sorted)
	names := make([]string, 0, len(h))
	values := make([]string, 0, len(h))
	for _, name := range sorted {
		for _, value := range h[name] {
			value = cleanHeader.Replace(value)
			if value == string(poll) {
				value = omitted
			}
			names = append(names, cleanHeader.Replace(name))
			values = append(values, value)
		}
	}
	if len(names) == 0 {
		return firstHeader{}
	}
	return firstHeader{unique.Make(strings.Join(names, "\n")), strings.Join(values, "\n")}
}

// header returns the headers as a new map, or nil if there are none. poll is the URL of the status.
func (f *firstHeader) header(poll exchange.Link) http.Header {
	if f == nil || *f == (firstHeader{}) {
		return nil
	}
	h := http.Header{}
	values := strings.Split(f.values, "\n")
	for i, name := range strings.Split(f.names.Value(), "\n") {
		value := values[i]
		if value == omitted {
			value = string(poll)
		}
		h[name] = append(h[name], value)
	}
	return h
}

// FirstHeader returns a copy of the headers of the response to the request that started the
// operation, until the first read, and otherwise nil.
func (c *Core) FirstHeader() http.Header {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.first.header(c.rec.Poll)
}
