package serve

import (
	"io"
	"net/http"

	"github.com/spf13/cobra"
)

// Handler returns a simulator that does not listen on a socket, for tests in a synctest bubble. If
// record is not nil, the simulator writes its recording there.
func Handler(log, record io.Writer, args ...string) (http.Handler, error) {
	o, cmd := &options{}, &cobra.Command{}
	o.flags(cmd)
	if err := cmd.ParseFlags(args); err != nil {
		return nil, err
	}
	s, err := o.simulator(log)
	if err == nil && record != nil {
		s.record = newRecorder(record)
	}
	return s, err
}
