package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"github.com/lro-go/lro/fakes"
)

// A pair does the same thing before and after the move.
type pair struct {
	name          string
	service       func() service // nil: one whose operations succeed after two polls
	before, after side
	differs       string // why what is sent differs; "" it does not
}

// A side does its thing with the service at origin, and tells what came of it.
type side func(ctx context.Context, origin string) (string, error)

// A service is a fakes.Service or a fakes.Transcript.
type service interface {
	http.Handler
	Requests() []fakes.Request
}

// A played side is what came of it and what was sent.
type played struct {
	outcome  string
	requests []string
	log      []fakes.Request
}

// play plays both sides, each with a service of its own.
func (p pair) play(ctx context.Context) (before, after played, err error) {
	before, err1 := p.side(ctx, p.before)
	after, err2 := p.side(ctx, p.after)
	return before, after, errors.Join(err1, err2)
}

// patience is what go-azure-sdk demands of a context, and none of these pairs needs.
const patience = time.Minute

func (p pair) side(ctx context.Context, do side) (played, error) {
	svc := service(newService())
	if p.service != nil {
		svc = p.service()
	}
	server := httptest.NewServer(svc)
	defer server.Close()
	inner, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	outcome, err := do(inner, server.URL)
	if err != nil {
		outcome = "error: " + err.Error()
	}
	outcome, _, _ = strings.Cut(strings.ReplaceAll(outcome, server.URL, ""), "\n")
	result := played{outcome: outcome, log: svc.Requests()}
	for _, r := range result.log {
		result.requests = append(result.requests, fmt.Sprintf("%s %s %d", r.Method, strings.TrimPrefix(r.URL, server.URL), r.StatusCode))
	}
	return result, ctx.Err()
}

// compare says how what was sent differs.
func compare(before, after played) string {
	if slices.Equal(before.requests, after.requests) {
		return fmt.Sprintf("%d, the same", len(before.requests))
	}
	return fmt.Sprintf("%d and %d", len(before.requests), len(after.requests))
}
