package poller

import "strings"

// A scanner reads the JSON that services write nearly always, in one pass and
// without memory of its own. What is not plain it leaves to encoding/json, and so
// everything that this one calls an error: it says no more than that it is sure.
// FuzzScan holds it to encoding/json, and BenchmarkParse shows what it is for.
type scanner struct {
	b []byte
	i int
}

// maxPlain is how deep plain JSON goes.
const maxPlain = 32

// members calls member with the name of each member of the object that is next, to
// pass its value, at the depth that is left. It reports whether that was plain.
// member may say that it is not.
func (s *scanner) members(depth int, member func(name []byte, depth int) bool) bool {
	if depth == 0 || !s.take('{') {
		return false
	}
	if s.take('}') {
		return true
	}
	for {
		name, ok := s.plainString()
		if !ok || !s.take(':') || !member(name, depth-1) {
			return false
		}
		if !s.take(',') {
			return s.take('}')
		}
	}
}

// value returns the value that is next.
func (s *scanner) value(depth int) ([]byte, bool) {
	s.space()
	from := s.i
	ok := s.skip(depth)
	return s.b[from:s.i], ok
}

// pass passes the value that is next.
func (s *scanner) pass(depth int) bool {
	s.space()
	return s.skip(depth)
}

func (s *scanner) skip(depth int) bool {
	if s.i == len(s.b) {
		return false
	}
	switch s.b[s.i] {
	case '"':
		return s.skipString()
	case '{':
		return s.members(depth, func(_ []byte, depth int) bool { return s.pass(depth) })
	case '[':
		return s.skipArray(depth)
	case 't':
		return s.skipWord("true")
	case 'f':
		return s.skipWord("false")
	case 'n':
		return s.skipWord("null")
	}
	return s.skipNumber()
}

func (s *scanner) skipArray(depth int) bool {
	if depth == 0 || !s.take('[') {
		return false
	}
	if s.take(']') {
		return true
	}
	for {
		if !s.pass(depth - 1) {
			return false
		}
		if !s.take(',') {
			return s.take(']')
		}
	}
}

// plainString returns a string without its quotes, if it is of ASCII and has no
// escape.
func (s *scanner) plainString() ([]byte, bool) {
	if !s.take('"') {
		return nil, false
	}
	from := s.i
	if s.run(isPlain); !s.takeByte('"') {
		return nil, false
	}
	return s.b[from : s.i-1], true
}

// skipString passes a string. One with an escape or of other than ASCII is valid
// JSON all the same, if no control character is in it and the escapes are known.
func (s *scanner) skipString() bool {
	for s.i++; ; s.i++ {
		if s.run(isPlain | isForeign); !s.takeByte('\\') {
			return s.takeByte('"')
		}
		if s.i == len(s.b) || strings.IndexByte(`"\/bfnrt`, s.b[s.i]) < 0 {
			return false
		}
	}
}

// What a byte within a string may be, if it does not end it.
const (
	isPlain   = 1 << iota // ASCII that stands for itself
	isForeign             // of other than ASCII
)

var inString = func() (t [256]byte) {
	for c := ' '; c < 0x80; c++ {
		t[c] = isPlain
	}
	for c := 0x80; c < len(t); c++ {
		t[c] = isForeign
	}
	t['"'], t['\\'] = 0, 0
	return t
}()

// run passes the bytes that are of a kind.
func (s *scanner) run(of byte) {
	i := s.i
	for i < len(s.b) && inString[s.b[i]]&of != 0 {
		i++
	}
	s.i = i
}

func (s *scanner) skipWord(word string) bool {
	if len(s.b)-s.i < len(word) || string(s.b[s.i:s.i+len(word)]) != word {
		return false
	}
	s.i += len(word)
	return true
}

// skipNumber passes a number (RFC 8259, section 6).
func (s *scanner) skipNumber() bool {
	s.takeByte('-')
	if !s.takeByte('0') && !s.digits() {
		return false
	}
	if s.takeByte('.') && !s.digits() {
		return false
	}
	if s.takeByte('e') || s.takeByte('E') {
		if !s.takeByte('+') {
			s.takeByte('-')
		}
		return s.digits()
	}
	return true
}

func (s *scanner) digits() bool {
	from := s.i
	for s.i < len(s.b) && '0' <= s.b[s.i] && s.b[s.i] <= '9' {
		s.i++
	}
	return s.i > from
}

// isNext passes white space and reports whether c is next.
func (s *scanner) isNext(c byte) bool {
	s.space()
	return s.i < len(s.b) && s.b[s.i] == c
}

// take passes white space and then c, if that is next.
func (s *scanner) take(c byte) bool {
	s.space()
	return s.takeByte(c)
}

func (s *scanner) takeByte(c byte) bool {
	if s.i == len(s.b) || s.b[s.i] != c {
		return false
	}
	s.i++
	return true
}

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return
		}
	}
}

// end reports whether nothing but white space is left.
func (s *scanner) end() bool {
	s.space()
	return s.i == len(s.b)
}
