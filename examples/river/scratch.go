package main

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// inScratch runs do with a database of its own, and drops that at the end.
func inScratch(ctx context.Context, server string, do func(url string) error) (err error) {
	at, err := url.Parse(server)
	if err != nil {
		return errors.New("DATABASE_URL is no URL") // the reason would show the password
	}
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	name := "lro_" + strings.ToLower(rand.Text())
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		return err
	}
	defer func() {
		_, dropped := conn.Exec(context.WithoutCancel(ctx), "DROP DATABASE "+name+" WITH (FORCE)")
		err = errors.Join(err, dropped)
	}()
	at.Path = "/" + name
	return do(at.String())
}

// migrate makes the tables: River's own and that of the ends.
func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	if err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return err
	}
	_, err = pool.Exec(ctx, endTable)
	return err
}
