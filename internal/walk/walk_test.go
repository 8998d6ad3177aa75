package walk_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/lro-go/lro/internal/walk"
	"github.com/stretchr/testify/require"
)

// membersOf collects the members of doc, of several with one name the last.
func membersOf(doc []byte) (map[string]json.RawMessage, error) {
	m := map[string]json.RawMessage{}
	err := walk.Members(doc, func(name, value []byte) error {
		m[string(name)] = value
		return nil
	})
	return m, err
}

func elementsOf(doc []byte) ([]json.RawMessage, error) {
	list := []json.RawMessage{}
	err := walk.Elements(doc, func(value []byte) bool {
		list = append(list, value)
		return true
	})
	return list, err
}

func TestWhatIsNone(t *testing.T) {
	for _, doc := range []string{
		"", " ", "{", "}", "[", "]", `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":}`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{"a":1}x`, `{a:1}`, `{"a" 1}`,
		`{"a":[}`, `{"a":"`, `{"a":"\`, `{"\x":1}`, `[1`, `[1,`, `[,]`, `[1]x`, `[1 2]`, `["`, `[[]`, "1", "null", `"a"`,
	} {
		_, err := membersOf([]byte(doc))
		require.Error(t, err, "%q", doc)
		_, err = elementsOf([]byte(doc))
		require.Error(t, err, "%q", doc)
	}
}

func TestAWalkThatIsLeft(t *testing.T) {
	enough, n := errors.New("enough"), 0
	err := walk.Members([]byte(`{"a":1,"b":2 broken`), func(_, _ []byte) error {
		n++
		return enough
	})
	require.Equal(t, enough, err)
	require.NoError(t, walk.Elements([]byte(`[1,2 broken`), func([]byte) bool {
		n++
		return false
	}))
	require.Equal(t, 2, n)
}

// However many parts there are and however deep they are, going through them costs
// the same: nothing.
func TestAWalkAllocatesNothing(t *testing.T) {
	for _, size := range []int{1000, 100_000} {
		for _, doc := range []string{
			`{` + strings.Repeat(`"name":0,`, size) + `"name":"\""}`,
			`{"x":` + strings.Repeat("[", size) + strings.Repeat("]", size) + `}`,
			`{"x":"` + strings.Repeat(`\\`, size) + `"}`,
			`{` + strings.Repeat(" \n", size) + `}`,
		} {
			object, array := []byte(doc), []byte("["+doc+","+doc+"]")
			require.Zero(t, testing.AllocsPerRun(3, func() {
				_ = walk.Members(object, func(_, _ []byte) error { return nil })
				_ = walk.Elements(array, func([]byte) bool { return true })
			}), "%.20s", doc)
		}
	}
}

// FuzzWalk holds the walks to encoding/json.
func FuzzWalk(f *testing.F) {
	for _, seed := range []string{
		`{"a":1,"b":{"c":[1,"]}",{"d":"\\\""}]},"a":null}`, `[1,-2.5e+3,"x,y",[],{},[[]],true]`, ` { "\u00e4\"" : "" } `, "{\"\xff\":1}", `{}`, `[]`, `[ ]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		m, err := membersOf(doc)
		list, listErr := elementsOf(doc)
		if !json.Valid(doc) {
			return // it did not panic
		}
		var any map[string]json.RawMessage
		if json.Unmarshal(doc, &any) == nil && any != nil {
			require.NoError(t, err)
			require.Equal(t, any, m)
		} else {
			require.Error(t, err)
		}
		var all []json.RawMessage
		if json.Unmarshal(doc, &all) == nil && all != nil {
			require.NoError(t, listErr)
			require.Equal(t, all, list)
		} else {
			require.Error(t, listErr)
		}
	})
}
