package house

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	inlineCode = regexp.MustCompile("`[^`]*`")
	linkForms  = regexp.MustCompile(`\]\(([^)\s]+)[^)]*\)|^\[[^\]]+\]:\s+(\S+)|(?:src|href|srcset)="([^"]+)"`)
	elsewhere  = regexp.MustCompile(`^[a-z]+:`)
)

// links returns the links in a line, except absolute URLs.
func links(line string) (found []string) {
	for _, m := range linkForms.FindAllStringSubmatch(inlineCode.ReplaceAllString(line, ""), -1) {
		if link := m[1] + m[2] + m[3]; !elsewhere.MatchString(link) {
			found = append(found, link)
		}
	}
	return found
}

// wrongLink describes what is wrong with a link on a page, or returns "" if the link is correct.
func wrongLink(fsys fs.FS, page, link string) string {
	target, heading, _ := strings.Cut(link, "#")
	name := page
	if target != "" {
		name = path.Join(path.Dir(page), target)
	}
	if _, err := fs.Stat(fsys, name); err != nil {
		return "the link leads nowhere: " + link
	}
	if heading == "" {
		return ""
	}
	text, err := fs.ReadFile(fsys, name)
	if err != nil || path.Ext(name) != ".md" || !slices.Contains(headings(string(text)), heading) {
		return "the page has no such heading: " + link
	}
	return ""
}

var notInAnchors = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)

// headings returns the anchors of the headings on a page, as GitHub computes them.
func headings(text string) (anchors []string) {
	prose, _ := split(text)
	seen := map[string]int{}
	for _, line := range prose {
		title := strings.TrimLeft(line, "#")
		if title == line || !strings.HasPrefix(title, " ") {
			continue
		}
		anchor := strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-")
		if n := seen[anchor]; n > 0 {
			anchors = append(anchors, fmt.Sprintf("%s-%d", anchor, n))
		} else {
			anchors = append(anchors, anchor)
		}
		seen[anchor]++
	}
	return anchors
}
