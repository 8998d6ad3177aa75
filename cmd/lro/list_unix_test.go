//go:build unix

package main

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lro-go/lro/cmd/lro/internal/output"
	"github.com/lro-go/lro/fakes"
)

// lro list does not read a pipe, because reading could block forever.
func TestListPipe(t *testing.T) {
	r := newRig(t, &fakes.Service{})
	require.NoError(t, syscall.Mkfifo("pipe.token", 0o600))
	require.Equal(t, ended{output.ExitOK, "pipe.token  not a regular file\n", ""}, r.exec("list", "-o=text"))
}
