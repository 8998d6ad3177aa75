package flags

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/spf13/pflag"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/arm"
	"github.com/lro-go/lro/poller/strategy"
)

// A condition holds the flags --until, --exists and --deleted of lro wait.
type condition struct {
	until           untilFlag
	exists, deleted bool
}

// AddCondition defines the flags that say what to wait for.
func (f *Flags) AddCondition(fs *pflag.FlagSet) {
	fs.Var(&f.condition.until, "until", "wait until the resource has this `value`, such as properties.status=Ready, or any value if there is no =")
	fs.BoolVar(&f.condition.exists, "exists", false, "wait until the resource exists")
	fs.BoolVar(&f.condition.deleted, "deleted", false, "wait until the resource does not exist")
}

// Judge returns the poller.Judge for the condition on the command line, or nil if there is no
// condition.
func (f *Flags) Judge() (poller.Judge[json.RawMessage], error) {
	var judges []poller.Judge[json.RawMessage]
	if f.condition.until.text != "" {
		judges = append(judges, f.condition.until.judge)
	}
	if f.condition.exists {
		judges = append(judges, poller.Found[json.RawMessage])
	}
	if f.condition.deleted {
		judges = append(judges, judgeDeletion)
	}
	switch len(judges) {
	case 0:
		return nil, nil
	case 1:
		return judges[0], nil
	}
	return nil, errors.New("give only one of --until, --exists and --deleted")
}

// An untilFlag is the value of --until: a path in the resource, and the value to wait for.
type untilFlag struct {
	text    string
	pointer string
	want    string
	present bool // whether any value except null and "" is enough
}

func (f *untilFlag) String() string { return f.text }
func (f *untilFlag) Type() string   { return "value" }

func (f *untilFlag) Set(s string) error {
	if f.text != "" {
		return errors.New("this flag can be given only once")
	}
	path, want, hasValue := strings.Cut(s, "=")
	if hasValue && (want == "" || want[0] == '=' || strings.HasSuffix(path, "!")) {
		return errors.New("a condition has the form PATH=VALUE or PATH")
	}
	pointer, err := pointerOf(path)
	if err != nil {
		return err
	}
	*f = untilFlag{text: s, pointer: pointer, want: want, present: !hasValue}
	return nil
}

// pointerOf returns the JSON pointer for a path such as a.b or /a/b. It rejects the operators of
// JSONPath and JMESPath, because they would be taken for part of a name and never match.
func pointerOf(path string) (string, error) {
	if strings.HasPrefix(path, "/") {
		return path, strategy.CheckPointer(path)
	}
	var pointer strings.Builder
	for name := range strings.SplitSeq(path, ".") {
		if name == "" || strings.ContainsAny(name, "{}[]()*?@'\"`|&<>! ") {
			return "", errors.New("a path has dots between its names, such as properties.status, or is a JSON pointer, such as /properties/status")
		}
		pointer.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	return pointer.String(), nil
}

// judge reports Succeeded once the resource has the wanted value. Until then, a provisioningState
// or a value at f.pointer that indicates failure ends the wait.
func (f untilFlag) judge(resource json.RawMessage, err error) (poller.Status, error) {
	if err != nil {
		return poller.Status{State: poller.InProgress}, err
	}
	word := valueAt(resource, f.pointer)
	if f.present && word != "" || !f.present && strings.EqualFold(word, f.want) {
		return poller.Status{State: poller.Succeeded, Word: word}, nil
	}
	status := provisioning(resource)
	if isFailure(status.State) {
		return status, nil
	}
	state := strategy.Answer{}.State(word)
	if isFailure(state) {
		return poller.Status{State: state, Word: word}, nil
	}
	if word != "" {
		status.Word = word
	}
	return status, nil
}

// judgeDeletion reports Succeeded if the resource does not exist. If it exists, a provisioningState
// that indicates failure ends the wait.
func judgeDeletion(resource json.RawMessage, err error) (poller.Status, error) {
	status, err := poller.Gone(resource, err)
	if err != nil || status.State == poller.Succeeded {
		return status, err
	}
	return provisioning(resource), nil
}

// provisioning returns the status in the resource's provisioningState. It reports InProgress
// instead of Succeeded, because only the user's condition decides whether the wait succeeds.
func provisioning(resource json.RawMessage) poller.Status {
	a := strategy.Answer{First: true, Method: http.MethodGet, Code: http.StatusOK, Body: resource}
	move, err := arm.ProvisioningState.Step(a)
	if err != nil || move.Status.State == poller.Succeeded {
		return poller.Status{State: poller.InProgress, Word: move.Status.Word}
	}
	return poller.Status{State: move.Status.State, Word: move.Status.Word, PercentComplete: move.Status.PercentComplete, Detail: move.Status.Detail}
}

func isFailure(s poller.State) bool { return s == poller.Failed || s == poller.Canceled }

// valueAt returns the value at a JSON pointer: a string without its quotes, anything else as JSON,
// and "" for null or a missing value.
func valueAt(resource json.RawMessage, pointer string) string {
	a := strategy.Answer{Body: resource}
	if s := a.Text(pointer); s != "" {
		return s
	}
	raw, _ := a.Lookup(pointer)
	text := strings.TrimSpace(string(raw))
	if text == "null" || text == `""` {
		return ""
	}
	return text
}
