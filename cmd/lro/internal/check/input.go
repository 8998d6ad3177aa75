package check

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"

	"github.com/lro-go/lro/cmd/lro/checker"
)

// requestLine matches the start of a request in an argument or a transcript.
var requestLine = regexp.MustCompile(`^(GET|PUT|PATCH|POST|DELETE)\s+(\S+)\s*`)

// readRequests returns the requests in the arguments and in the files that they name, in order.
func readRequests(args []string, stdin io.Reader) (all []checker.Request, err error) {
	if len(args) == 0 {
		return nil, errors.New("lro check takes at least one request or file; see lro help check")
	}
	for _, arg := range args {
		var more []checker.Request
		if requestLine.MatchString(arg) {
			more, err = oneRequest(arg)
		} else {
			more, err = readFile(arg, stdin)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// oneRequest parses an argument such as 'PUT https://service.test/widgets/w1 {}'.
func oneRequest(arg string) ([]checker.Request, error) {
	m := requestLine.FindStringSubmatch(arg)
	body := []byte(arg[len(m[0]):])
	if name, isFile := strings.CutPrefix(string(body), "@"); isFile {
		var err error
		body, err = os.ReadFile(name)
		if err != nil {
			return nil, err
		}
	}
	return []checker.Request{{Method: m[1], URL: m[2], Body: body}}, nil
}

// readFile reads the requests in a transcript. It skips responses, so the file may be a recording.
func readFile(name string, stdin io.Reader) (all []checker.Request, err error) {
	var text []byte
	if name == "-" {
		text, err = io.ReadAll(stdin)
	} else {
		text, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, err
	}
	for _, block := range separator.Split(string(text), -1) {
		block = strings.TrimLeft(comments.ReplaceAllString(block, ""), "\r\n")
		if !requestLine.MatchString(block) {
			continue
		}
		r, err := parseRequest(block)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no request such as PUT https://service.test/widgets/w1 HTTP/1.1", name)
	}
	return all, nil
}

var (
	separator = regexp.MustCompile(`(?m)^###.*$`)
	comments  = regexp.MustCompile(`(?m)\A(\r?\n|#.*\r?\n?)*`)
)

// parseRequest parses a request in a transcript. If the URL is only a path, the host is in the Host
// header, and the scheme is https.
func parseRequest(block string) (checker.Request, error) {
	head, body, _ := strings.Cut(strings.ReplaceAll(block, "\r\n", "\n"), "\n\n")
	first, rest, _ := strings.Cut(strings.TrimRight(head, "\n"), "\n")
	if !strings.Contains(first, " HTTP/") {
		first += " HTTP/1.1"
	}
	text := strings.ReplaceAll(first+"\n"+rest+"\n\n", "\n", "\r\n")
	req, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
	if err != nil {
		return checker.Request{}, errors.New("cannot parse the request " + first)
	}
	if req.URL.Host == "" {
		req.URL.Scheme = "https"
		req.URL.Host = req.Host
	}
	if req.Header.Get("Authorization") != "" {
		return checker.Request{}, errors.New("a file must not contain an Authorization header; use --token-command or $LRO_TOKEN")
	}
	return checker.Request{Method: req.Method, URL: req.URL.String(), Header: req.Header, Body: bytes.TrimRight([]byte(body), "\n")}, nil
}
