package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// licenses lists the licenses that licenseOf recognizes. The names are SPDX identifiers, except
// GPL, which stands for every version. A file contains a license if it contains all phrases of one
// of the license's entries.
var licenses = []struct {
	name    string
	phrases []string
}{
	{"Apache-2.0", []string{"licensed under the apache license, version 2.0"}},
	{"Apache-2.0", []string{"apache license version 2.0, january 2004", "grant of patent license"}},
	{"BSD-2-Clause", []string{"redistribution and use in source and binary forms", "provided with the distribution. this software is provided"}},
	{"BSD-3-Clause", []string{"redistribution and use in source and binary forms", "neither the name of"}},
	{"GPL", []string{"everyone is permitted to copy and distribute verbatim copies of this license document"}}, // every version of the GPL contains this phrase
	{"MIT", []string{"permission is hereby granted, free of charge, to any person obtaining a copy", "the software is provided \"as is\""}},
	{"MPL-2.0", []string{"mozilla public license version 2.0", "\"covered software\"", "secondary license"}},
	{"MPL-2.0", []string{"mozilla public license, version 2.0", "\"covered software\"", "secondary license"}},
	{"Unlicense", []string{"this is free and unencumbered software released into the public domain"}},
}

// licenseOf returns the names of the licenses in a text, in alphabetical order and joined by "AND",
// or "unknown".
func licenseOf(text string) string {
	text = strings.NewReplacer("“", `"`, "”", `"`).Replace(text)
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	var names []string
	for _, l := range licenses {
		if !slices.ContainsFunc(l.phrases, func(p string) bool { return !strings.Contains(text, p) }) {
			names = append(names, l.name)
		}
	}
	if len(names) == 0 {
		return "unknown"
	}
	return strings.Join(slices.Compact(names), " AND ")
}

// legalFile matches the names of files that must be distributed with a module's code.
var legalFile = regexp.MustCompile(`(?i)^((un)?licen[cs]e|copying|notice|patents|copyright)`)

// legalFiles returns the names and the concatenated texts of the legal files in dir.
func legalFiles(t *testing.T, dir string) (names []string, text string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		if e.IsDir() || !legalFile.MatchString(e.Name()) {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		names, text = append(names, e.Name()), text+"\n"+string(b)
	}
	return names, text
}

func TestLicenseOf(t *testing.T) {
	const (
		mit = `Permission is hereby granted, free of charge,
			to any person obtaining a copy of this software … THE SOFTWARE IS PROVIDED "AS IS" …`
		bsd2 = "Redistribution and use in source and binary forms … are permitted"
		gpl  = "Everyone is permitted to copy and distribute verbatim copies of this license document, but changing it is not allowed."
	)
	for _, tt := range []struct{ text, want string }{
		{mit, "MIT"},
		{bsd2 + " … Neither the name of", "BSD-3-Clause"},
		{bsd2, "unknown"},
		{bsd2 + " … materials provided with the distribution.\n\nTHIS SOFTWARE IS PROVIDED …", "BSD-2-Clause"},
		{`Mozilla Public License, version 2.0 … "Covered Software" … "Secondary License" means the GNU General Public License`, "MPL-2.0"},
		{`Mozilla Public License Version 2.0 … “Covered Software” … "Secondary License" means …`, "MPL-2.0"},
		{"Mozilla Public License, version 1.1", "unknown"},
		{`Licensed under the Apache License, Version 2.0 (the "License")`, "Apache-2.0"},
		{mit + `Licensed under the Apache License, Version 2.0 (the "License")`, "Apache-2.0 AND MIT"},
		{mit + gpl, "GPL AND MIT"},
		{"This is free and unencumbered software released into the public domain.", "Unlicense"},
		{"All rights reserved.", "unknown"},
		{"", "unknown"},
	} {
		require.Equal(t, tt.want, licenseOf(tt.text), tt.text)
	}
	_, ours := legalFiles(t, "../..")
	require.Equal(t, "MIT", licenseOf(ours), "the README names this license")
}
