// Package seed reads the initial resources of a simulated service from a file.
//
// The file can have several forms. If it contains a mistake, the error gives the line and column.
// The package is separate from package serve because it needs nothing from the service.
//
// The entry point is Read.
package seed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
)

// A Resource is one of the initial resources of the service.
type Resource struct {
	Path string
	Body json.RawMessage // a JSON object
}

// A value is a JSON value in the file.
type value struct {
	name string // the member's name if the value is in an object, or the id set by addItem
	at   int    // the offset of the value in the file
	text json.RawMessage
}

// An invalidValue is an error with its offset in the file.
type invalidValue struct {
	at int
	error
}

// Read returns the resources in a file. The file contains one or more JSON values, each in one of
// these forms:
//
//   - an object that maps paths to resources;
//   - an array of resources whose ids are their paths;
//   - an object with such an array in its member "value", such as a page of a listing;
//   - a resource whose id is its path.
//
// Read returns an error if it cannot read the file, if a value has another form, if there are no
// resources, or if two resources have the same path, ignoring case. If a value is invalid, the
// error gives its line and column.
func Read(file string) ([]Resource, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := &reader{seen: map[string]bool{}}
	err = r.read(text)
	if invalid, ok := errors.AsType[invalidValue](err); ok {
		before := string(text[:invalid.at])
		line := strings.Count(before, "\n") + 1
		column := invalid.at - strings.LastIndex(before, "\n")
		return nil, fmt.Errorf("%s: line %d, column %d: %w", file, line, column, invalid.error)
	}
	if len(r.resources) == 0 {
		return nil, fmt.Errorf("%s: there is no resource in the file", file)
	}
	return r.resources, nil
}

// A reader collects the resources in a file.
type reader struct {
	resources []Resource
	seen      map[string]bool // the paths of the resources, in lower case
}

// read reads every JSON value in text, such as each page of a listing.
func (r *reader) read(text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	for {
		v := value{at: start(text, dec)}
		if v.at == len(text) {
			return nil
		}
		if dec.Decode(&v.text) != nil {
			err := json.Unmarshal(text[v.at:], &v.text) // unlike a Decoder, Unmarshal also reports the offset of an unexpected end
			bad, ok := errors.AsType[*json.SyntaxError](err)
			if ok {
				v.at += int(bad.Offset) - 1
			}
			return invalidValue{v.at, err}
		}
		if err := r.add(v); err != nil {
			return err
		}
	}
}

// start returns the offset of the next value in text, which dec is decoding.
func start(text []byte, dec *json.Decoder) int {
	return len(text) - len(bytes.TrimLeft(text[dec.InputOffset():], " \t\r\n,:"))
}

// parts returns the members of an object, or the items of an array.
func (v value) parts() (all []value) {
	dec := json.NewDecoder(bytes.NewReader(v.text))
	bracket, _ := dec.Token() // no error is possible here and below, because v is valid
	for dec.More() {
		var p value
		if bracket == json.Delim('{') {
			name, _ := dec.Token()
			p.name = name.(string)
		}
		p.at = v.at + start(v.text, dec)
		_ = dec.Decode(&p.text)
		all = append(all, p)
	}
	return all
}

// add adds the resources in v: an array of resources, a page of a listing, a single resource, or an
// object that maps paths to resources.
func (r *reader) add(v value) error {
	if v.text[0] == '[' {
		return r.addItems(v)
	}
	if v.text[0] != '{' {
		return invalidValue{v.at, errors.New("want resources, as an object or an array")}
	}
	members := v.parts()
	for _, m := range members {
		if m.name == "value" && m.text[0] == '[' {
			return r.addItems(m)
		}
		if m.name == "id" && m.text[0] == '"' {
			return r.addItem(v)
		}
	}
	for _, m := range members {
		if err := r.put(m); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) addItems(v value) error {
	for _, item := range v.parts() {
		if err := r.addItem(item); err != nil {
			return err
		}
	}
	return nil
}

// addItem adds a resource whose id is its path.
func (r *reader) addItem(v value) error {
	var resource struct{ ID string }
	err := json.Unmarshal(v.text, &resource)
	if err != nil || resource.ID == "" {
		return invalidValue{v.at, errors.New("want a resource with an id, such as /widgets/w1")}
	}
	v.name = resource.ID
	return r.put(v)
}

// put adds the resource in v. Its path is in v.name.
func (r *reader) put(v value) error {
	path := strings.ToLower(strings.Trim(v.name, "/"))
	if !strings.HasPrefix(v.name, "/") || !strings.Contains(path, "/") {
		return invalidValue{v.at, fmt.Errorf("%q is not the path of a resource, such as /widgets/w1", v.name)}
	}
	if v.text[0] != '{' {
		return invalidValue{v.at, fmt.Errorf("the resource %s is not a JSON object", v.name)}
	}
	if r.seen[path] {
		return invalidValue{v.at, fmt.Errorf("the resource %s is already in the file", v.name)}
	}
	r.seen[path] = true
	r.resources = append(r.resources, Resource{v.name, v.text})
	return nil
}
