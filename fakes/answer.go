package fakes

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
)

// An Answer is a response before it is sent. [Edit] gives it to be changed.
type Answer struct {
	StatusCode int
	Header     http.Header
	Body       []byte

	unsized bool // its headers go ahead of the body, so that the client is not told the length
}

// send writes a, its headers beside those that are there.
func (a Answer) send(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.Header)
	w.WriteHeader(a.StatusCode)
	if a.unsized {
		_ = http.NewResponseController(w).Flush() // not every writer can
	}
	if len(a.Body) > 0 {
		_, _ = w.Write(a.Body) // the client has gone: nobody is left to tell
	}
}

func jsonAnswer(code int, body []byte) Answer {
	return Answer{StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}
}

// failure is an error in the format of the contract.
func failure(code int, e Error) Answer {
	a := jsonAnswer(code, encode(map[string]Error{"error": e}))
	if e.Code != "" {
		a.Header.Set("X-Ms-Error-Code", e.Code)
	}
	return a
}

// encode is for values that came from JSON, or that are the test's own to get
// right. Links stay readable.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("fakes: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// isJSON says whether a has a body of JSON.
func (a *Answer) isJSON() bool { return json.Valid(a.Body) }
