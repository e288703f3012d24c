// A POSIX shell for Windows, for the hooks of git under Wine: `sh SCRIPT [ARGUMENT...]` and `sh -c TEXT [NAME [ARGUMENT...]]`.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

func run(arguments []string) error {
	var text, name string
	if len(arguments) > 1 && arguments[0] == "-c" {
		text, name, arguments = arguments[1], "sh", arguments[2:]
		if len(arguments) > 0 {
			name, arguments = arguments[0], arguments[1:]
		}
	} else if len(arguments) > 0 {
		content, err := os.ReadFile(arguments[0])
		if err != nil {
			return err
		}
		text, name, arguments = string(content), arguments[0], arguments[1:]
	} else {
		return fmt.Errorf("no script")
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(text), name)
	if err != nil {
		return err
	}
	shell, err := interp.New(
		interp.StdIO(os.Stdin, os.Stdout, os.Stderr),
		interp.Params(append([]string{"--"}, arguments...)...),
		interp.OpenHandler(open),
	)
	if err != nil {
		return err
	}
	return shell.Run(context.Background(), file)
}

// Opens a file of a redirection. Windows has another name for /dev/null.
func open(ctx context.Context, path string, flag int, mode os.FileMode) (io.ReadWriteCloser, error) {
	if path == "/dev/null" {
		return os.OpenFile(os.DevNull, flag, mode)
	}
	return interp.DefaultOpenHandler()(ctx, path, flag, mode)
}

func main() {
	err := run(os.Args[1:])
	if status, ok := interp.IsExitStatus(err); ok {
		os.Exit(int(status))
	} else if err != nil {
		fmt.Fprintln(os.Stderr, "sh:", err)
		os.Exit(127)
	}
}
