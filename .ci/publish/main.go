// Publish writes a module version to a module proxy in the file system (see "go help goproxy").
//
//	go run . PROXY VERSION TIME FOLDER
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: publish PROXY VERSION TIME FOLDER")
		os.Exit(2)
	}
	if err := publish(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, "publish:", err)
		os.Exit(1)
	}
}

func publish(proxy, version, time, folder string) error {
	mod, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		return err
	}
	m := module.Version{Path: modfile.ModulePath(mod), Version: version}
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return err
	}
	versions := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(versions, 0o755); err != nil {
		return err
	}
	info, err := json.Marshal(map[string]string{"Version": version, "Time": time})
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{version + ".mod": mod, version + ".info": info, "list": []byte(version + "\n")} {
		if err := os.WriteFile(filepath.Join(versions, name), data, 0o644); err != nil {
			return err
		}
	}
	f, err := os.Create(filepath.Join(versions, version+".zip"))
	if err != nil {
		return err
	}
	return errors.Join(zip.CreateFromDir(f, m, folder), f.Close())
}
