package seed_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/seed"
)

// An error gives the line and column of the mistake, unless the file has no resources.
func TestReadErrors(t *testing.T) {
	tests := map[string]string{
		"":                                   "there is no resource in the file",
		"[]":                                 "there is no resource in the file",
		"{}\n":                               "there is no resource in the file",
		"[\n  {\"id\": \"/widgets/w1\"},,\n": "line 2, column 25: invalid character ',' looking for beginning of value",
		`{"/widgets/w1": {}`:                 "line 1, column 18: unexpected end of JSON input",
		"{\"value\": []}\n  \"w1\"":          "line 2, column 3: want resources, as an object or an array",
		"[\n {\"name\": \"w1\"}]":            "line 2, column 2: want a resource with an id, such as /widgets/w1",
		"[\n {\"id\": 1}]":                   "line 2, column 2: want a resource with an id, such as /widgets/w1",
		"[1]":                                "line 1, column 2: want a resource with an id, such as /widgets/w1",
		`{"widgets": [{}]}`:                  `line 1, column 13: "widgets" is not the path of a resource, such as /widgets/w1`,
		`{"value": [{"id": "w1"}]}`:          `line 1, column 12: "w1" is not the path of a resource, such as /widgets/w1`,
		`{"/widgets": {}}`:                   `line 1, column 14: "/widgets" is not the path of a resource, such as /widgets/w1`,
		"{\"/widgets/w1\": {},\n\"/widgets/W2\":\n\n\t3}":           "line 4, column 2: the resource /widgets/W2 is not a JSON object",
		"{\"/widgets/w1\": {}} \n[ {}, {\"id\": \"/Widgets/w1\"} ]": "line 2, column 3: want a resource with an id, such as /widgets/w1",
		`[{"id": "/widgets/w1"}, {"id": "/Widgets/W1/"}]`:           "line 1, column 25: the resource /Widgets/W1/ is already in the file",
	}
	for text, want := range tests {
		file := filepath.Join(t.TempDir(), "seed.json")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := seed.Read(file)
		require.EqualError(t, err, file+": "+want, text)
	}
	_, err := seed.Read("missing.json")
	require.ErrorIs(t, err, fs.ErrNotExist)
}
