package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// An Object is a JSON object.
type Object = map[string]any

// Encode returns v as JSON, without escaping the & in links. It panics if v cannot be encoded.
func Encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("fakes: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Decode decodes data, which must contain exactly one JSON value. Numbers become json.Number, so
// that a number such as 1.0 keeps its spelling.
func Decode(data []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more than one value")
	}
	return v, nil
}
