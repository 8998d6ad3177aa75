package main

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

const want = `Operations of IBM Cloud, offline. This takes about a second.

An operation resource leads to the new resource
  InProgress "not_started"
  InProgress "not_started"
  InProgress "in_progress"
  Succeeded
  result: alpha

An operation fails with several errors
  InProgress "not_started"
  InProgress "not_started"
  InProgress "in_progress"
  Failed: 2 errors (insufficient_capacity: There is no room in this zone.; reserved_value: The name is taken. (target name))
  error: code insufficient_capacity, target "": There is no room in this zone.
  error: code reserved_value, target "name": The name is taken.

A DELETE cancels an operation
  InProgress "not_started"
  Canceled

VPC: an instance has a status of its own until it is deleted
  InProgress "pending"
  InProgress "pending"
  InProgress "starting"
  Succeeded "running"
  result: vm is running
  deleting vm
  InProgress
  InProgress "deleting"
  InProgress "deleting"
  Succeeded

Resource Controller: a creation is canceled
  InProgress "in progress"
  Failed: canceled: The operation was canceled.
  code of a canceled creation: canceled

Cloud Databases: a task
  InProgress "queued" 0%
  InProgress "queued" 33%
  InProgress "running" 66%
  Succeeded "completed" 100%
  result: task completed at 100%
`

func TestRun(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out))
	require.Equal(t, want, out.String())
}

func TestRunInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, run(ctx, &bytes.Buffer{}), context.Canceled)
}
