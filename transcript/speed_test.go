package transcript

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkRead reads the transcripts below $TRANSCRIPTS, or the recorded ones.
func BenchmarkRead(b *testing.B) {
	dir := os.Getenv("TRANSCRIPTS")
	if dir == "" {
		dir = "testdata/client-runs"
	}
	var files [][]byte
	size := int64(0)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".jsonl") {
			return err
		}
		data, err := os.ReadFile(path)
		files = append(files, data)
		size += int64(len(data))
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, data := range files {
			r := NewReader(strings.NewReader(string(data)), State{})
			for {
				if _, err := r.Next(); err == io.EOF {
					break
				} else if err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}
