package index

import (
	"context"
	"fmt"
	"sync"
	"testing"
)

// TestReadersDuringSync: whatever a reader is given while messages come in can
// be read at once.
func TestReadersDuringSync(t *testing.T) {
	root, a, _ := history(t)
	x := open(t, t.TempDir(), root)
	syncNow(t, x)
	ctx := context.Background()
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					if err := readAround(ctx, x); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	for i := range 30 {
		a.user(fmt.Sprintf("Port question %d", i))
		a.bash("nc -l 9188", fmt.Sprintf("port %d is taken", i))
		if _, err := x.Sync(ctx, SyncOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	readers.Wait()
	if got := len(find(t, x, "port question", Filter{})); got != 30 {
		t.Errorf("%d of 30 messages are found", got)
	}
}

func readAround(ctx context.Context, x *Index) error {
	hits, err := x.Lexical(ctx, []string{"port"}, Filter{}, 40)
	if err != nil {
		return err
	}
	ids := make([]ID, len(hits))
	for i, h := range hits {
		ids[i] = h.ID
	}
	if _, err := x.Passages(ctx, ids, 2, []string{"port"}); err != nil {
		return err
	}
	if _, err := x.Totals(ctx, ids, []string{"port"}); err != nil {
		return err
	}
	for _, id := range ids[:min(3, len(ids))] {
		if _, err := x.Exchange(ctx, id); err != nil {
			return err
		}
	}
	if _, err := x.Conversation(ctx, sessionA, ""); err != nil {
		return err
	}
	if _, err := x.Compactions(ctx, sessionA); err != nil {
		return err
	}
	x.Fresh()
	_, err = x.Stats(ctx, []string{"port"}, Filter{Dropped: true})
	return err
}
