package record

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
)

// An azcoreToken holds the members of an azcore token that describe the operation.
type azcoreToken struct {
	PollURL    string `json:"pollURL"`
	LocURL     string `json:"locURL"`
	OrigURL    string `json:"origURL"` // the URL of the first request
	Method     string `json:"method"`
	FinalState string `json:"finalState"`
	ResultPath string `json:"resultPath"` // the name of the status document's member that holds the result
}

// convertAzcore converts an azcore token to a token of this package, or returns "" for any other
// text. It ignores the token's state, because the poller must read the final response again even if
// the operation has ended.
func convertAzcore(text string) string {
	raw := unwrapToken(text)
	var t azcoreToken
	if json.Unmarshal(raw, &t) != nil {
		return ""
	}
	kind, err := readKind(raw)
	if err != nil {
		return ""
	}

	// azcore makes these checks in the same order.
	if kind.AsyncURL != "" {
		return t.follow("azure-async-operation", kind.AsyncURL)
	}
	switch kind.Type {
	case "body":
		t.OrigURL = t.PollURL
		return t.follow("provisioning-state", t.PollURL)
	case "loc":
		return t.follow("location", t.PollURL)
	}
	return t.follow("operation-location", kind.OperationURL)
}

// unwrapToken returns the JSON document that azcore's poller wrote, which may be the value of
// "token" in another document.
func unwrapToken(text string) []byte {
	raw := unwrapBase64([]byte(text))
	var outer struct {
		Token json.RawMessage `json:"token"`
	}
	err := json.Unmarshal(raw, &outer)
	if err != nil || len(outer.Token) == 0 {
		return raw
	}

	return unwrapBase64(outer.Token)
}

// An azcoreKind holds the members that say which azcore poller wrote a token.
type azcoreKind struct{ Type, AsyncURL, OperationURL string }

// readKind reads an azcoreKind. It decodes raw into a map, because azcore distinguishes upper and
// lower case in member names, but encoding/json ignores case when it fills a struct.
func readKind(raw []byte) (kind azcoreKind, err error) {
	var members map[string]json.RawMessage
	err = json.Unmarshal(raw, &members)
	if err != nil {
		return kind, err
	}

	fields := map[string]*string{
		"type":     &kind.Type,
		"asyncURL": &kind.AsyncURL,
		"oplocURL": &kind.OperationURL,
	}
	for name, field := range fields {
		value, ok := members[name]
		if !ok {
			continue
		}
		err = json.Unmarshal(value, field)
		if err != nil {
			return kind, err
		}
	}
	return kind, nil
}

// follow returns a token with which the given strategy reads the operation's status at the given
// URL. It returns "" if the URL is empty.
func (t azcoreToken) follow(strategy, at string) string {
	if at == "" {
		return ""
	}

	memo := map[string]string{"strategy": strategy}
	optional := map[string]string{"location": t.resolve(t.LocURL), "member": t.ResultPath}
	for name, value := range optional {
		if value != "" {
			memo[name] = value
		}
	}

	b, err := json.Marshal(map[string]any{
		"lro":           1,
		"phase":         "polling",
		"method":        strings.ToUpper(t.Method),
		"target":        t.OrigURL,
		"poll":          at,
		"memo":          memo,
		"finalStateVia": strings.ToLower(t.FinalState),
		"inline":        strategy == "location" || strategy == "provisioning-state",
		"status":        map[string]string{"state": "InProgress"},
	})
	if err != nil {
		return ""
	}
	return string(b)
}

// resolve resolves ref against the URL of the first request. It returns "" if ref cannot be
// resolved, because azcore ignores such a URL.
func (t azcoreToken) resolve(ref string) string {
	u, err := url.Parse(ref)
	if err != nil || ref == "" {
		return ""
	}
	if u.IsAbs() {
		return ref
	}

	base, err := url.Parse(t.OrigURL)
	if err != nil || !base.IsAbs() {
		return ""
	}
	return base.ResolveReference(u).String()
}

// unwrapBase64 decodes base64 text, which may be inside a JSON string. It does not decode other
// text.
func unwrapBase64(b []byte) []byte {
	var s string
	if json.Unmarshal(b, &s) != nil {
		s = string(b)
	}

	s = strings.TrimRight(strings.TrimSpace(s), "=")
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if plain, err := enc.DecodeString(s); err == nil {
			return plain
		}
	}
	return []byte(s)
}
