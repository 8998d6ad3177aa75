package provider

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	lroerrors "github.com/lro-go/lro/errors"
)

// diagnose makes of an error what is shown to a person: the ending, then all that
// the service says of it. doing is such as `Creating widget "w1"`.
func diagnose(doing string, err error) diag.Diagnostic {
	var (
		operation *lroerrors.OperationError
		result    *lroerrors.ResultError
		wait      *lroerrors.WaitError
		status    *lroerrors.StatusError
	)
	switch {
	case errors.As(err, &operation):
		text := tell(operation.Detail)
		text += ids("operation", operation.ID) + ids("request id", operation.RequestID) + ids("correlation id", operation.CorrelationID)
		return at(operation.Detail, doing+": "+strings.ToLower(operation.State), text)
	case errors.As(err, &result):
		return diag.NewErrorDiagnostic(doing+": succeeded, and the result cannot be read",
			result.Error()+"\n\n"+nextRun)
	case errors.As(err, &wait):
		advice := nextRun
		if isGone(err) {
			advice = "Nobody knows how it ended. The next plan asks the widget itself."
		}
		return diag.NewErrorDiagnostic(doing+": not finished", wait.Error()+"\n\n"+advice)
	case errors.As(err, &status):
		return refused(doing, status)
	}
	return diag.NewErrorDiagnostic(doing, err.Error())
}

// nextRun is the advice that goes with everything that goes on without us.
const nextRun = "It goes on at the service. Its resume token is in the private state of the resource: the next plan shows how it is " +
	"getting on, and the next apply waits for it and begins no other."

// refused is of a request that was refused, or was not answered.
func refused(doing string, status *lroerrors.StatusError) diag.Diagnostic {
	advice := ""
	if status.Method != http.MethodGet && (status.StatusCode == 0 || status.StatusCode >= 500) {
		advice = "\n\nThe service may have begun all the same. What became of a widget in the state, the next plan asks;" +
			" one that is not in the state has to be imported if it is there."
	}
	if status.StatusCode == 0 {
		return diag.NewErrorDiagnostic(doing+": no answer", status.Error()+advice)
	}
	text := tell(status.Detail) + ids("request id", status.RequestID) + ids("correlation id", status.CorrelationID)
	return at(status.Detail, fmt.Sprintf("%s: refused with %d", doing, status.StatusCode), text+advice)
}

// warning is the same diagnostic as a warning.
func warning(d diag.Diagnostic) diag.Diagnostic {
	return diag.NewWarningDiagnostic(d.Summary(), d.Detail())
}

// at is an error at the attribute that the service's target names; Terraform shows
// that line of the configuration.
func at(detail *lroerrors.Detail, summary, text string) diag.Diagnostic {
	if detail != nil && detail.Code != "" {
		summary += ": " + detail.Code
	}
	if p, ok := attribute(detail); ok {
		return diag.NewAttributeErrorDiagnostic(p, summary, text)
	}
	return diag.NewErrorDiagnostic(summary, text)
}

// attributes are by the names that the service has for them.
var attributes = map[string]path.Path{
	"name":            path.Root("name"),
	"properties.size": path.Root("size"),
}

// attribute looks for a target in an error and in its details.
func attribute(d *lroerrors.Detail) (path.Path, bool) {
	if d == nil {
		return path.Path{}, false
	}
	if p, ok := attributes[d.Target]; ok {
		return p, true
	}
	for i := range d.Details {
		if p, ok := attribute(&d.Details[i]); ok {
			return p, true
		}
	}
	return path.Path{}, false
}

// tell writes an error of the service with code, target and details, a line each.
func tell(d *lroerrors.Detail) string {
	if d == nil {
		return "The service gives no reason.\n"
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

// ids is a line with an id that the service's support asks for.
func ids(name, id string) string {
	if id == "" {
		return ""
	}
	return name + ": " + id + "\n"
}
