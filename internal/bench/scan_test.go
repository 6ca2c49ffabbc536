package bench

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/sondehq/sonde/internal/eventlog"
)

const testMarker = "zqmarkermarkermarker1234"

// engineBlock frames content as the engine does.
func engineBlock(method byte, content []byte, length int) []byte {
	block := append(make([]byte, blockChecksum), method)
	block = binary.LittleEndian.AppendUint32(block, uint32(len(content)+blockHead))
	block = binary.LittleEndian.AppendUint32(block, uint32(length))
	return append(block, content...)
}

func zstdBlock(t *testing.T, text string) []byte {
	t.Helper()
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return engineBlock(methodZSTD, encoder.EncodeAll([]byte(text), nil), len(text))
}

// A record of the log as the server writes it, with an envelope.
func logRecord(t *testing.T, text string) []byte {
	t.Helper()
	message, err := eventlog.Envelope{Kind: eventlog.KindOTLPTraces, AcceptedAt: time.Now(), Payload: []byte(strings.Repeat(text+" ", 50))}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	const subject = "sonde.log.0"
	record := binary.LittleEndian.AppendUint32(nil, uint32(recordHead+len(subject)+len(message)+recordHash))
	record = append(record, make([]byte, 16)...)
	record = binary.LittleEndian.AppendUint16(record, uint16(len(subject)))
	return append(append(append(record, subject...), message...), make([]byte, recordHash)...)
}

func TestScanFindsWhatIsEncoded(t *testing.T) {
	t.Parallel()
	half := len(testMarker) / 4 * 3 // within what is looked for
	files := map[string][]byte{
		"engine/plain":                         []byte("x " + strings.ToUpper(testMarker)),
		"engine/zstd.bin":                      append(zstdBlock(t, "nothing"), zstdBlock(t, "in "+testMarker)...),
		"engine/edge.bin":                      append(zstdBlock(t, "in "+testMarker[:half]), zstdBlock(t, testMarker[half:])...),
		"engine/lz4.bin":                       engineBlock(methodLZ4, append([]byte{0xf0, byte(len(testMarker) - 15)}, testMarker...), len(testMarker)),
		"log/jetstream/SONDE_LOG_0/msgs/1.blk": append(logRecord(t, "nothing"), logRecord(t, "in "+testMarker)...),
		"log/jetstream/SONDE_DEAD/msgs/1.blk":  logRecord(t, testMarker),
		"metadata.sqlite-wal":                  []byte(testMarker),
		"engine/other.bin":                     zstdBlock(t, "nothing of it"),
		"blobs/media/clean~":                   []byte("clean"),
	}
	dir := t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	result, err := Scan(t.Context(), dir, testMarker)
	if err != nil || result.Files != len(files) {
		t.Fatalf("%+v, %v", result, err)
	}
	want := map[string]int{"engine": 4, "log": 1, "log: dead letters": 1, "metadata": 1}
	for place, n := range want {
		if result.Places[place] != n {
			t.Errorf("%s: %d files, want %d: %+v", place, result.Places[place], n, result.Found)
		}
	}
	if len(result.Places) != len(want) {
		t.Errorf("found in %v", result.Places)
	}
	if _, err := Scan(t.Context(), dir, "short"); err == nil {
		t.Error("a short marker is taken")
	}
}

// FuzzNextBlock checks that no bytes make the decoder panic.
func FuzzNextBlock(f *testing.F) {
	f.Add(engineBlock(methodLZ4, []byte{0x10, 'a', 1, 0}, 30))
	f.Add(engineBlock(methodMultiple, []byte{1, 0x92, methodNone, 9, 0, 0, 0, 0, 0, 0, 0}, 3))
	f.Fuzz(func(_ *testing.T, data []byte) { _, _, _ = nextBlock(data) })
}
