package embedtest_test

import (
	"testing"

	"recall/embed"
	"recall/embed/embedtest"
)

func TestHashedConforms(t *testing.T) { embedtest.Run(t, embed.NewHashed(256)) }

func TestHashedNearness(t *testing.T) {
	vs, err := embed.NewHashed(256).Documents(t.Context(), []string{
		"Redis: removed from the cache layer", "the cache layer without redis", "paint the garden fence",
	})
	if err != nil {
		t.Fatal(err)
	}
	if near, far := vs[0].Dot(vs[1]), vs[0].Dot(vs[2]); near < 0.5 || far > 0.4 {
		t.Errorf("cosine %.2f for four words shared, %.2f for one", near, far)
	}
}
