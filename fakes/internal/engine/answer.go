package engine

import (
	"maps"
	"net/http"
)

// An Answer is a response that has not been sent yet.
type Answer struct {
	StatusCode int
	Header     http.Header
	Body       []byte
	Unsized    bool // whether to flush the headers before the body, so that there is no Content-Length
}

// Send writes the answer to w. It keeps the headers that are already set on w, unless the answer
// sets the same ones.
func (a Answer) Send(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.Header)
	w.WriteHeader(a.StatusCode)
	if a.Unsized {
		_ = http.NewResponseController(w).Flush() // not every writer can flush
	}
	if len(a.Body) > 0 {
		_, _ = w.Write(a.Body) // an error means that the client has disconnected
	}
}

// JSON returns a response with a JSON body.
func JSON(code int, body []byte) Answer {
	return Answer{StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}
}

// Failure returns an error response in the format of the Resource Provider
// Contract.
func Failure(code int, e Error) Answer {
	a := JSON(code, Encode(map[string]Error{"error": e}))
	if e.Code != "" {
		a.Header.Set("X-Ms-Error-Code", e.Code)
	}
	return a
}

// Object decodes the body and reports whether it is a JSON object.
func (a *Answer) Object() (Object, bool) {
	v, err := Decode(a.Body)
	if err != nil {
		return nil, false
	}
	o, ok := v.(Object)
	return o, ok
}

// Edit changes the body of a with the given function. It does nothing if the body is not a JSON
// object.
func (a *Answer) Edit(change func(Object)) {
	if o, ok := a.Object(); ok {
		change(o)
		a.Body = Encode(o)
	}
}

// Set sets a header, and creates the Header map if it is nil.
func (a *Answer) Set(name, value string) {
	if a.Header == nil {
		a.Header = make(http.Header)
	}
	a.Header.Set(name, value)
}
