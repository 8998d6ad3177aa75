package fakes

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
)

// An Answer is a response that has not been sent yet. A function passed to
// [Edit] can change it.
type Answer struct {
	StatusCode int
	Header     http.Header
	Body       []byte

	unsized bool // flush the headers first, so that no length is sent
}

// send writes a. Its headers are added to those that w already has.
func (a Answer) send(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.Header)
	w.WriteHeader(a.StatusCode)
	if a.unsized {
		_ = http.NewResponseController(w).Flush() // not every writer can flush
	}
	if len(a.Body) > 0 {
		_, _ = w.Write(a.Body) // an error means that the client has disconnected
	}
}

func jsonAnswer(code int, body []byte) Answer {
	return Answer{StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}
}

// failure is an error response in the format of the Resource Provider Contract.
func failure(code int, e Error) Answer {
	a := jsonAnswer(code, encode(map[string]Error{"error": e}))
	if e.Code != "" {
		a.Header.Set("X-Ms-Error-Code", e.Code)
	}
	return a
}

// encode panics if v cannot be encoded. It is used for values that were decoded
// from JSON and for values that a test supplies. It does not escape the & in
// links.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("fakes: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// isJSON reports whether a has a JSON body.
func (a *Answer) isJSON() bool { return json.Valid(a.Body) }
