package natslog_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sondehq/sonde/internal/eventlog/natslog"
)

// BenchmarkAppend measures synced appends to the embedded log. The disk's fsync is what
// limits it: run it on the disk in question.
func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{4 << 10, 100 << 10} {
		for _, appenders := range []int{1, 4, 16} {
			b.Run(fmt.Sprintf("%dKB/%dappenders", size>>10, appenders), func(b *testing.B) {
				benchmarkAppend(b, size, appenders)
			})
		}
	}
}

func benchmarkAppend(b *testing.B, size, appenders int) {
	ctx := context.Background()
	log, err := natslog.OpenEmbedded(ctx, natslog.Config{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = log.Close(ctx) }()
	record := make([]byte, size)
	_, _ = rand.Read(record)
	b.SetBytes(int64(size))
	b.ResetTimer()
	var left atomic.Int64
	left.Store(int64(b.N))
	var wg sync.WaitGroup
	for range appenders {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if _, err := log.Append(ctx, record); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
}
