package fakes

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// ReadTranscript reads a conversation: alternating requests and responses, as sent over the wire,
// separated by lines that start with ###.
//
//	### create
//	PUT /widgets/w1?api-version=1 HTTP/1.1
//	Host: a.test
//
//	{"properties":{"size":1}}
//	### accepted
//	# wait 2s
//	HTTP/1.1 201 Created
//	Azure-AsyncOperation: {{base}}/operations/1?api-version=1
//
//	{"properties":{"provisioningState":"Accepted","size":1}}
//
// Before a message, lines that start with # are comments. Two forms of comment are instructions for
// the response that follows:
//
//	# wait 2s    the response is sent after two seconds
//	# drop       the connection is closed after the response,
//	             which may be incomplete or missing
//
// A body starts after the empty line that follows the headers, and ends at the next separator; its
// last line ending is removed. If a message with a body has no Content-Length, ReadTranscript adds
// it. If the Content-Length of a response is larger than its body, the connection is closed after
// the body, so the client gets an incomplete response. A response with Transfer-Encoding: chunked
// is sent without Content-Length. Its body in the transcript must not contain the chunk sizes.
// {{base}} is replaced with the scheme and host of the request, such as https://a.test. Lines may
// end in LF or CRLF.
//
// If a message cannot be read, the error contains its line number.
func ReadTranscript(r io.Reader) (*Transcript, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	t := &Transcript{}
	var request *message
	for _, m := range split(text) {
		if m.empty() {
			continue
		}
		if request == nil {
			if _, err := m.asRequest(""); err != nil {
				return nil, fmt.Errorf("fakes: transcript, request in line %d: %w", m.line, err)
			}
			request = &m
			continue
		}
		exchange, err := pair(*request, m)
		if err != nil {
			return nil, fmt.Errorf("fakes: transcript, response in line %d: %w", m.line, err)
		}
		t.exchanges = append(t.exchanges, exchange)
		request = nil
	}
	if request != nil {
		return nil, fmt.Errorf("fakes: transcript, request in line %d: no response follows", request.line)
	}
	return t, nil
}

// pair combines a request and its response into an exchange. It returns an error if either is
// invalid.
func pair(request, response message) (recorded, error) {
	e := recorded{request: request, response: response}
	for _, comment := range response.comments {
		if err := e.follow(comment); err != nil {
			return e, err
		}
	}
	if response.head == nil {
		return e, nil
	}

	r, err := request.asRequest("")
	if err != nil {
		return e, err
	}
	resp, err := response.asResponse("", r)
	if err != nil {
		return e, err
	}
	defer resp.Body.Close()
	if len(response.body) > 0 && !bodyAllowed(resp.StatusCode) {
		return e, fmt.Errorf("a body with status %d", resp.StatusCode)
	}
	return e, nil
}

// follow applies a comment to e if the comment is an instruction.
func (e *recorded) follow(comment string) error {
	if comment == "drop" {
		e.dropped = true
		return nil
	}
	instruction, arg, _ := strings.Cut(comment, " ")
	if instruction != "wait" || strings.Contains(arg, " ") {
		return nil
	}
	d, err := time.ParseDuration(arg)
	if err != nil {
		return err
	}
	e.wait = d
	return nil
}

// A message is a request or a response in a transcript.
type message struct {
	line     int // the line number of the separator before the message
	comments []string
	head     []byte // the start line and the headers; nil if the message has only comments
	body     []byte
	sized    bool // whether head contains Content-Length
	chunked  bool // whether the message has a Transfer-Encoding header, which head omits
	inBody   bool // whether the empty line after the head has been read
}

// empty reports whether m consists only of comments other than drop. A drop comment can stand for a
// whole response.
func (m message) empty() bool {
	return m.head == nil && !slices.Contains(m.comments, "drop")
}

// split splits a transcript into messages at its separators.
func split(text []byte) []message {
	messages := []message{{line: 1}}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		if bytes.HasPrefix(line, []byte("###")) {
			messages = append(messages, message{line: number})
			continue
		}
		messages[len(messages)-1].add(line)
	}
	for i := range messages {
		messages[i].trim()
	}
	return messages
}

// add adds a line to m: a comment, or a line of the head or the body.
func (m *message) add(line []byte) {
	if m.inBody {
		m.body = append(m.body, line...)
		return
	}
	blank := len(bytes.TrimSpace(line)) == 0
	if m.head != nil && blank {
		m.inBody = true
		return
	}
	if m.head == nil && line[0] == '#' {
		m.comments = append(m.comments, strings.TrimSpace(string(line[1:])))
		return
	}
	if !blank {
		m.header(line)
	}
}

// header adds a line to the head. For Transfer-Encoding, it sets chunked instead.
func (m *message) header(line []byte) {
	name, _, _ := bytes.Cut(line, []byte(":"))
	if strings.EqualFold(string(name), "Transfer-Encoding") {
		m.chunked = true
		return
	}
	m.sized = m.sized || strings.EqualFold(string(name), "Content-Length")
	m.head = append(m.head, bytes.TrimRight(line, "\r\n")...)
	m.head = append(m.head, "\r\n"...)
}

// trim removes the body's last line ending, which belongs to the separator after the body.
func (m *message) trim() {
	m.body = bytes.TrimSuffix(m.body, []byte("\n"))
	m.body = bytes.TrimSuffix(m.body, []byte("\r"))
}

// wire returns a reader for m, with {{base}} replaced by base. If m has a body but no
// Content-Length, wire adds that header.
func (m message) wire(base string) *bufio.Reader {
	head, body := replaceBase(m.head, base), replaceBase(m.body, base)
	if !m.sized && len(body) > 0 {
		head = fmt.Appendf(head, "Content-Length: %d\r\n", len(body))
	}
	head = append(head, "\r\n"...)
	return bufio.NewReader(io.MultiReader(bytes.NewReader(head), bytes.NewReader(body)))
}

// replaceBase replaces each {{base}} placeholder in text with base.
func replaceBase(text []byte, base string) []byte {
	return bytes.ReplaceAll(text, []byte("{{base}}"), []byte(base))
}

func (m message) asRequest(base string) (*http.Request, error) {
	if m.head == nil {
		return nil, errors.New("missing")
	}
	return http.ReadRequest(m.wire(base))
}

// asResponse parses m as the response to r.
func (m message) asResponse(base string, r *http.Request) (*http.Response, error) {
	return http.ReadResponse(m.wire(base), r)
}
