package lrotf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	lroerrors "github.com/lro-go/lro/errors"
)

// A Schema looks up attributes. The Schema of a plan, a state or a configuration implements it.
type Schema interface {
	TypeAtPath(context.Context, path.Path) (attr.Type, diag.Diagnostics)
}

// Diagnose converts an error from this module to a diagnostic, for provider code outside a
// [Resource], such as a data source. The summary consists of doing (for example, Reading widget
// "w1"), the outcome and the service's code. The detail has the service's message, code and target,
// then the nested details, one per line, then the request ID and the correlation ID, and finally
// advice for the user.
//
// If a target in the error names an attribute of the schema, the diagnostic is about that
// attribute, and Terraform shows its line in the configuration: properties.maxSize,
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
		text = strings.TrimRight(text, "\n") + "\n\n" + note
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
	unknown     = "It is unknown how the operation ended. The next plan reads the resource."
	perhapsDone = "The service may have accepted the request. If the resource is in the state, the next plan shows what happened; " +
		"if it exists but is not in the state, import it."
)

// describe returns the parts of a diagnostic for err: a summary of the outcome, the error that the
// service reported, and the text of the detail.
func describe(err error) (summary string, detail *lroerrors.Detail, text string) {
	var (
		operation *lroerrors.OperationError
		result    *lroerrors.ResultError
		wait      *lroerrors.WaitError
		status    *lroerrors.StatusError
	)
	switch {
	case errors.As(err, &operation):
		text = textOf(operation.Detail) + line("operation", operation.ID) +
			line("request id", operation.RequestID) + line("correlation id", operation.CorrelationID)
		if operation.Detail == nil && operation.Err != nil {
			text = operation.Error() + "\n" + text
		}
		return strings.ToLower(operation.State), operation.Detail, text
	case errors.As(err, &result):
		return "succeeded, but the result cannot be read", nil, result.Error() + "\n\n" + resumed
	case errors.As(err, &wait):
		advice := resumed
		if isGone(err) {
			advice = unknown
		}
		return "not finished", nil, wait.Error() + "\n\n" + advice
	case errors.As(err, &status):
		text = status.Error()
		if status.StatusCode != 0 {
			summary = fmt.Sprintf("refused with %d", status.StatusCode)
			text = textOf(status.Detail) + line("request", status.Method+" "+status.URL) +
				line("request id", status.RequestID) + line("correlation id", status.CorrelationID)
		}
		if mayHaveStarted(err) {
			text = strings.TrimRight(text, "\n") + "\n\n" + perhapsDone
		}
		return cmp.Or(summary, "no response"), status.Detail, text
	}
	return "", nil, err.Error()
}

// textOf returns the service's error as text: its message, code and target, and then each of its
// details on a line of its own.
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

// warnings returns the given diagnostics with their severity lowered to warning.
func warnings(all diag.Diagnostics) diag.Diagnostics {
	var out diag.Diagnostics
	for _, d := range all {
		if at, ok := d.(diag.DiagnosticWithPath); ok {
			out.Append(diag.NewAttributeWarningDiagnostic(at.Path(), d.Summary(), d.Detail()))
		} else {
			out.Append(diag.NewWarningDiagnostic(d.Summary(), d.Detail()))
		}
	}
	return out
}
