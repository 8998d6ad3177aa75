package status

import (
	"slices"

	"github.com/lro-go/lro/cmd/lro/checker/arm"
	"github.com/lro-go/lro/cmd/lro/checker/rule"
	"github.com/lro-go/lro/cmd/lro/checker/trace"
)

// words holds the rules for the words in the members status and provisioningState.
var words = rule.Table{Topic: "Status words", Rules: []rule.Rule{
	wordTerminal(),
	wordCase(),
}}

func wordTerminal() rule.Rule {
	return rule.Rule{
		ID: "arm-word-terminal", Severity: rule.Must,
		Title:   "The status of an operation that has ended is Succeeded, Failed or Canceled, and no other word.",
		Source:  arm.Async("ProvisioningState property", "The provisioningState property has only three terminal states: Succeeded , Failed and Canceled."),
		Quirks:  []string{"A.6/canceled", "A.6/failed", "A.6/succeeded", "W55", "W7"},
		Client:  "A client waits until its timeout, because it takes any other word to mean that the operation is in progress.",
		Example: `{"properties":{"provisioningState":"Completed"}}`,
		On:      lastWords,
		Broken: func(op *trace.Operation, x *trace.Exchange) string {
			if arm.StateOf(op, x) == trace.Foreign || arm.Meaning(arm.Word(x)) == trace.Foreign {
				return "the last word is " + arm.Word(x)
			}
			return ""
		},
	}
}

func wordCase() rule.Rule {
	return rule.Rule{
		ID: "arm-word-case", Severity: rule.Should,
		Title:   "The words Succeeded, Failed and Canceled start with a capital letter.",
		Source:  arm.Async("ProvisioningState property", "The provisioningState property has only three terminal states: Succeeded , Failed and Canceled."),
		Quirks:  []string{"A.6/canceled", "A.6/failed"},
		Client:  "A client that compares the words exactly waits until its timeout.",
		Example: `{"status":"succeeded"}`,
		On:      withWord,
		Broken: func(_ *trace.Operation, x *trace.Exchange) string {
			says := arm.Word(x)
			if arm.Meaning(says).Terminal() && !slices.Contains([]string{"Succeeded", "Failed", "Canceled"}, says) {
				return "the word is " + says
			}
			return ""
		},
	}
}

// withWord selects the reads of the status and of the resource that contain a status word.
func withWord(op *trace.Operation) []*trace.Exchange {
	return op.Select(func(x *trace.Exchange) bool {
		about := x.Role == trace.Status || x.Role == trace.Resource && x.Phase != trace.Before
		return about && x.OK() && arm.Word(x) != ""
	})
}

// lastWords selects, for each source of the status, the last read with a status word. It selects
// nothing if the operation was refused or has not ended.
func lastWords(op *trace.Operation) []*trace.Exchange {
	if op.End == trace.Unfinished || op.End == trace.Refused {
		return nil
	}
	last := map[string]*trace.Exchange{}
	for _, x := range withWord(op) {
		last[string(x.Role)+x.Source] = x
	}
	return op.Select(func(x *trace.Exchange) bool { return last[string(x.Role)+x.Source] == x })
}
