package lrotf

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/path"

	lroerrors "github.com/lro-go/lro/errors"
)

// attributeOf returns the first attribute that a target in d or its details names.
func attributeOf(ctx context.Context, schema Schema, d *lroerrors.Detail) (path.Path, bool) {
	if d == nil || schema == nil {
		return path.Empty(), false
	}
	if p, ok := attributeAt(ctx, schema, d.Target); ok {
		return p, true
	}
	for i := range d.Details {
		if p, ok := attributeOf(ctx, schema, &d.Details[i]); ok {
			return p, true
		}
	}
	return path.Empty(), false
}

// attributeAt returns the attribute that the target names, or else the innermost attribute around
// it. The target is a JSON path or pointer, and may start with the "properties" of an ARM resource.
func attributeAt(ctx context.Context, schema Schema, target string) (path.Path, bool) {
	steps := strings.FieldsFunc(target, func(c rune) bool { return strings.ContainsRune("./[]'\"", c) })
	steps = slices.DeleteFunc(steps, func(s string) bool { return s == "$" || s == "#" })
	for from := range steps {
		if from > 0 && !strings.EqualFold(steps[from-1], "properties") {
			break
		}
		p, found := path.Empty(), false
		for _, s := range steps[from:] {
			next := p.AtName(snake(s))
			if i, err := strconv.Atoi(s); err == nil {
				next = p.AtListIndex(i)
			}
			if _, diags := schema.TypeAtPath(ctx, next); diags.HasError() {
				break
			}
			p, found = next, true
		}
		if found {
			return p, true
		}
	}
	return path.Empty(), false
}

// snake converts a JSON name to Terraform's style. For example, maxSize becomes max_size, and
// dnsIPAddress becomes dns_ip_address.
func snake(name string) string {
	var b strings.Builder
	all := []rune(name)
	for i, c := range all {
		afterLower := i > 0 && !unicode.IsUpper(all[i-1])
		beforeLower := i+1 < len(all) && unicode.IsLower(all[i+1])
		if unicode.IsUpper(c) && i > 0 && all[i-1] != '_' && (afterLower || beforeLower) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}
