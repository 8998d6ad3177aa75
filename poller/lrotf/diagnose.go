package lrotf

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/poller"
)

// A Schema returns the types of attributes. The Schema fields of tfsdk.Plan, tfsdk.State and
// tfsdk.Config implement it.
type Schema interface {
	TypeAtPath(context.Context, path.Path) (attr.Type, diag.Diagnostics)
}

// Diagnose converts an lro error to a diagnostic, for provider code outside a [Resource], such as a
// data source. The summary consists of the argument doing (for example, Reading widget "w1"), the
// outcome and the service's code. The detail contains the service's message, code, target and
// nested errors, the request ID, the correlation ID, and advice for the user.
//
// If a target in the error names an attribute of the schema, the diagnostic has that attribute's
// path, and Terraform shows its line in the configuration. For example, properties.maxSize,
// /properties/maxSize and maxSize all name max_size. schema may be nil. err must not be nil.
func Diagnose(ctx context.Context, doing string, err error, schema Schema) diag.Diagnostics {
	return diagnose(ctx, doing, err, schema, "")
}

// diagnose is like Diagnose, but adds a note to the detail.
func diagnose(ctx context.Context, doing string, err error, schema Schema, note string) diag.Diagnostics {
	summary, detail, text := describe(err)
	if detail != nil && detail.Code != "" {
		summary += ": " + detail.Code
	}
	if note != "" {
		text = withNote(text, note)
	}
	if summary != "" {
		doing += ": " + summary
	}
	if p, ok := attributeOf(ctx, schema, detail); ok {
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(p, doing, text)}
	}
	return diag.Diagnostics{diag.NewErrorDiagnostic(doing, text)}
}

const (
	resumed = "The operation continues, and private state holds what the next run needs to resume it: the next plan shows " +
		"its progress, and the next apply waits for it instead of starting another."
	fixFirst    = "The status cannot be read until someone solves this problem. "
	unknown     = "It is unknown how the operation ended. The next plan reads the resource."
	perhapsDone = "The service may have accepted the request. If the resource is in the state, the next plan shows what happened; " +
		"if it exists but is not in the state, import it."
)

const unusable = "the response cannot be used"

// describe returns a summary of the outcome, the service's error, and the text of the diagnostic's
// detail.
func describe(err error) (summary string, detail *lroerrors.Detail, text string) {
	if e, ok := errors.AsType[*lroerrors.OperationError](err); ok {
		return strings.ToLower(string(e.State)), e.Detail, operationText(e)
	}
	if e, ok := errors.AsType[*lroerrors.ResultError](err); ok {
		return "succeeded, but the result cannot be read", nil, withNote(e.Error(), resumed)
	}
	if e, ok := errors.AsType[*lroerrors.WaitError](err); ok {
		if !poller.MayHaveStarted(err) {
			return unusable, nil, e.Error()
		}
		return "not finished", nil, withNote(e.Error(), waitAdvice(err))
	}
	if e, ok := errors.AsType[*lroerrors.StatusError](err); ok {
		summary, text = describeStatus(e)
		if poller.MayHaveStarted(err) {
			text = withNote(text, perhapsDone)
		}
		return summary, e.Detail, text
	}
	return "", nil, err.Error()
}

// waitAdvice returns advice for the user about an unfinished operation.
func waitAdvice(err error) string {
	if isGone(err) {
		return unknown
	}
	if poller.Classify(err) == poller.Stuck {
		return fixFirst + resumed
	}
	return resumed
}

func operationText(e *lroerrors.OperationError) string {
	text := textOf(e.Detail) + line("operation", e.ID) + line("request id", e.RequestID) + line("correlation id", e.CorrelationID)
	if e.Detail == nil && e.Err != nil {
		return e.Error() + "\n" + text
	}
	return text
}

func describeStatus(e *lroerrors.StatusError) (summary, text string) {
	if e.StatusCode == 0 {
		return "no response", e.Error()
	}
	if e.StatusCode/100 == 2 {
		return unusable, e.Error()
	}
	summary = fmt.Sprintf("refused with %d", e.StatusCode)
	text = textOf(e.Detail) + line("request", e.Method+" "+e.URL) + line("request id", e.RequestID) + line("correlation id", e.CorrelationID)
	return summary, text
}

// withNote appends a note to text as a separate paragraph.
func withNote(text, note string) string {
	return strings.TrimRight(text, "\n") + "\n\n" + note
}

// textOf returns the service's error as text: the message, the code and the target, then one line
// for each nested error.
func textOf(d *lroerrors.Detail) string {
	if d == nil {
		return "The service gave no reason.\n"
	}
	var b strings.Builder
	tree(&b, d, "")
	return b.String()
}

func tree(b *strings.Builder, d *lroerrors.Detail, indent string) {
	fmt.Fprintf(b, "%s%s", indent, d.Message)
	if d.Code != "" {
		fmt.Fprintf(b, " (code %s)", d.Code)
	}
	if d.Target != "" {
		fmt.Fprintf(b, " (target %s)", d.Target)
	}
	b.WriteString("\n")
	for i := range d.Details {
		tree(b, &d.Details[i], indent+"  - ")
	}
}

func line(name, value string) string {
	if value == "" {
		return ""
	}
	return name + ": " + value + "\n"
}

// warnings converts diagnostics to warnings.
func warnings(all diag.Diagnostics) diag.Diagnostics {
	var out diag.Diagnostics
	for _, d := range all {
		out.Append(warning(d))
	}
	return out
}

func warning(d diag.Diagnostic) diag.Diagnostic {
	if at, ok := d.(diag.DiagnosticWithPath); ok {
		return diag.NewAttributeWarningDiagnostic(at.Path(), d.Summary(), d.Detail())
	}
	return diag.NewWarningDiagnostic(d.Summary(), d.Detail())
}
