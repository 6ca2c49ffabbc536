package engine

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"time"
)

// Packets of ClickHouse's native protocol, as far as a login needs them.
const (
	packetHello     = 0
	packetException = 2
	packetPing      = 4
	packetPong      = 4

	// An old revision keeps the server's answer to the few fields every revision has.
	protocolRevision = 54000
	maxText          = 1 << 16
)

// ping logs in and asks for a sign of life. The engine opens its port only after all tables are
// loaded, so an answer means that queries work.
func ping(ctx context.Context, addr, user, password string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })()

	in := bufio.NewReader(conn)
	if _, err := conn.Write(hello(user, password)); err != nil {
		return fmt.Errorf("send hello: %w", err)
	}
	if err := readHello(in); err != nil {
		return err
	}
	if _, err := conn.Write([]byte{packetPing}); err != nil {
		return fmt.Errorf("send ping: %w", err)
	}
	if kind, err := binary.ReadUvarint(in); err != nil || kind != packetPong {
		return fmt.Errorf("answer to ping is packet %d: %w", kind, err)
	}
	return nil
}

func hello(user, password string) []byte {
	var out []byte
	text := func(s string) { out = append(binary.AppendUvarint(out, uint64(len(s))), s...) }
	out = binary.AppendUvarint(out, packetHello)
	text("sonde engine")
	for _, n := range []uint64{1, 0, protocolRevision} { // major, minor, revision
		out = binary.AppendUvarint(out, n)
	}
	text("") // database
	text(user)
	text(password)
	return out
}

func readHello(in *bufio.Reader) error {
	kind, err := binary.ReadUvarint(in)
	if err != nil {
		return fmt.Errorf("read hello: %w", err)
	}
	switch kind {
	case packetHello:
		if _, err := readText(in); err != nil {
			return fmt.Errorf("read hello: %w", err)
		}
		for range 3 { // major, minor, revision
			if _, err := binary.ReadUvarint(in); err != nil {
				return fmt.Errorf("read hello: %w", err)
			}
		}
		return nil
	case packetException:
		return readException(in)
	default:
		return fmt.Errorf("answer to hello is packet %d", kind)
	}
}

func readException(in *bufio.Reader) error {
	var code [4]byte
	if _, err := io.ReadFull(in, code[:]); err != nil {
		return fmt.Errorf("read exception: %w", err)
	}
	if _, err := readText(in); err != nil { // class
		return fmt.Errorf("read exception: %w", err)
	}
	message, err := readText(in)
	if err != nil {
		return fmt.Errorf("read exception: %w", err)
	}
	return fmt.Errorf("refused with code %d: %s", int32(binary.LittleEndian.Uint32(code[:])), message)
}

func readText(in *bufio.Reader) (string, error) {
	n, err := binary.ReadUvarint(in)
	if err != nil {
		return "", err
	}
	if n > maxText {
		return "", fmt.Errorf("text of %d bytes", n)
	}
	text := make([]byte, n)
	_, err = io.ReadFull(in, text)
	return string(text), err
}
