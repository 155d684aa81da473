package main

import (
	"go/format"
	"os"
	"path/filepath"
	"testing"
)

func TestFilesAreCurrent(t *testing.T) {
	for name, want := range files() {
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Error(err)
		} else if string(got) != want {
			t.Errorf("%s is not what the generator writes: run go generate ./embed/bert", name)
		}
	}
}

func TestDeclarationsAreFormatted(t *testing.T) {
	for name, text := range files() {
		if filepath.Ext(name) != ".go" {
			continue
		}
		if got, err := format.Source([]byte(text)); err != nil || string(got) != text {
			t.Errorf("%s is not as gofmt writes it, or wrong: %v", name, err)
		}
	}
}
