package serve

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// If the terminal is paused for too long, the printer drops lines and reports how many.
func TestPrinterDropsLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		terminal, out := io.Pipe()
		p := newPrinter(out)
		say(p, "first\n")
		synctest.Wait() // wait until the printer blocks on writing the first line
		for range maxWaiting + 3 {
			say(p, "next\n")
		}
		var all strings.Builder
		go func() {
			p.close()
			out.Close()
		}()
		_, err := io.Copy(&all, terminal)
		require.NoError(t, err)
		require.Equal(t, "first\n"+strings.Repeat("next\n", maxWaiting)+"(3 lines not shown)\n", all.String())
	})
}
