package main

import (
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/lro-go/lro/cmd/lro/internal/check"
	"github.com/lro-go/lro/cmd/lro/internal/flags"
)

func (c *command) check() *cobra.Command {
	e := check.Environment{
		Stdin: c.stdin, Stdout: c.stdout, Stderr: c.stderr, Env: c.env, Token: c.getenv(flags.TokenVariable), Exit: &c.code,
	}
	if c.base != nil {
		e.Base = func() http.RoundTripper { return c.base }
	}
	cmd := check.Command(e)
	cmd.GroupID = groupCheck
	return cmd
}

// explainRule writes the explanation of a rule that lro check applies.
func explainRule(w io.Writer, id string) error {
	ok, err := check.Explain(w, id)
	if err == nil && !ok {
		return fmt.Errorf("there is no rule %q; see lro check --rules", id)
	}
	return err
}
