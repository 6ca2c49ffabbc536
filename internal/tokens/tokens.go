// Package tokens counts the tokens of a text as OpenAI's models do, for observations whose client
// gave no usage.
//
// Counts of plain text are exact. Texts without spaces, such as long base64, are cut every 2 KiB,
// which may add a token per cut: some texts would otherwise take time that grows with the square
// of their length.
package tokens

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/tiktoken-go/tokenizer/codec"
)

// MaxText is the longest text that is counted.
const MaxText = 256 << 10

// ErrTooLong is returned for a text longer than MaxText.
var ErrTooLong = errors.New("text is too long to be counted")

// ErrTooSlow is returned when the deadline came first.
var ErrTooSlow = errors.New("counting tokens took too long")

// piece is how much text is counted between two looks at the clock. The worst texts we know take
// a few milliseconds per piece.
const piece = 2 << 10

// Vocabularies take some 40 ms and 6 MiB of memory each, so they are made when first needed.
var (
	o200k  = sync.OnceValue(codec.NewO200kBase)
	cl100k = sync.OnceValue(codec.NewCl100kBase)
)

// counter counts with one vocabulary until a deadline.
type counter struct {
	codec *codec.Codec
	until time.Time
}

// Load makes the vocabulary of an encoding unless it is there: the first time takes a while, a second and more on a busy
// machine. Who has a deadline loads before it begins.
func Load(encoding string) { vocabulary(encoding) }

func vocabulary(encoding string) *codec.Codec {
	if encoding == "cl100k_base" {
		return cl100k()
	}
	return o200k()
}

// Count returns how many tokens a text has in an encoding ("cl100k_base", else that of OpenAI's
// newer models), or an error when that cannot be told before the deadline. A JSON list of chat
// messages is counted as OpenAI bills one.
func Count(encoding, text string, until time.Time) (uint64, error) {
	if len(text) > MaxText {
		return 0, ErrTooLong
	}
	c := counter{codec: vocabulary(encoding), until: until}
	switch start := strings.TrimLeft(text, " \t\r\n"); {
	case strings.HasPrefix(start, "["):
		if messages := chat(text); messages != nil {
			return c.chat(messages)
		}
	case strings.HasPrefix(start, `"`):
		var inner string
		if json.Unmarshal([]byte(text), &inner) == nil {
			text = inner
		}
	}
	return c.text(text)
}

// What OpenAI adds around messages.
const (
	perMessage = 3
	perName    = 1
	perList    = 3
)

// counted are the members of a chat message that are part of a prompt.
var counted = []string{"content", "role", "name", "tool_calls", "function_call", "toolCalls", "functionCall"}

// chat reads a list of chat messages: every one has a role and a content that are texts.
func chat(text string) (messages []map[string]json.RawMessage) {
	if json.Unmarshal([]byte(text), &messages) != nil {
		return nil
	}
	for _, m := range messages {
		if !isText(m["role"]) || !isText(m["content"]) {
			return nil
		}
	}
	return messages
}

func isText(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '"' }

func (c *counter) chat(messages []map[string]json.RawMessage) (uint64, error) {
	sum := uint64(perList)
	for _, m := range messages {
		sum += perMessage
		for _, name := range counted {
			text := string(m[name])
			if text == "" || text == "null" {
				continue
			}
			if isText(m[name]) {
				if err := json.Unmarshal(m[name], &text); err != nil {
					return 0, err
				}
			}
			n, err := c.text(text)
			if err != nil {
				return 0, err
			}
			if sum += n; name == "name" {
				sum += perName
			}
		}
	}
	return sum, nil
}

// text counts piece by piece.
func (c *counter) text(text string) (sum uint64, err error) {
	for text != "" {
		if time.Now().After(c.until) {
			return 0, ErrTooSlow
		}
		end := cut(text)
		n, err := c.codec.Count(text[:end])
		if err != nil {
			return 0, err
		}
		sum += uint64(n)
		text = text[end:]
	}
	return sum, nil
}

// cut returns where the next piece of a text ends. Between a letter and a space before a letter,
// tokens always end; where there is no such place, the piece just ends at its full length.
func cut(text string) int {
	if len(text) <= piece {
		return len(text)
	}
	for i := piece; i > piece/2; i-- {
		if text[i] == ' ' && isLetter(text[i-1]) && isLetter(text[i+1]) {
			return i
		}
	}
	for i := piece; i > piece-4; i-- {
		if text[i]&0xC0 != 0x80 { // not inside a character
			return i
		}
	}
	return piece
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }
