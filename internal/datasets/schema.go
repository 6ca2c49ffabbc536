package datasets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore"
	"github.com/sondehq/sonde/internal/model"
)

// Bounds on the work that a schema may cause. A few references to references are enough to make a small
// schema take for ever.
const (
	maxSteps      = 1_000_000 // schemas visited for one value
	maxValues     = 100_000   // texts, numbers, lists and so on in one value: each that does not fit is an error
	maxSchemaTime = 2 * time.Second
	maxDigits     = 1000 // of a number; those of an exponent count as what they stand for
	maxSaid       = 300  // bytes of one reason
	maxItemErrors = 10
	itemsPerPage  = 500
)

// schema is a compiled JSON Schema, nil when everything fits. It is not safe for concurrent use.
type schema struct {
	compiled *jsonschema.Schema
	budget   *budget
}

// budget stops a validation that takes too long. It is visited with every part of a schema.
type budget struct {
	steps int
	until time.Time
}

// errTooExpensive is panicked with, because a validation cannot be stopped in another way.
var errTooExpensive = errors.New("takes too long to check")

// Validate implements jsonschema.SchemaExt.
func (b *budget) Validate(*jsonschema.ValidatorContext, any) {
	b.steps++
	if b.steps > maxSteps || time.Now().After(b.until) {
		panic(errTooExpensive)
	}
}

func (b *budget) renew() { b.steps, b.until = 0, time.Now().Add(maxSchemaTime) }

// nowhere is where schemas are loaded from: what a schema refers to must be in it.
type nowhere struct{}

// Load implements jsonschema.URLLoader.
func (nowhere) Load(string) (any, error) {
	return nil, errors.New("a schema must not refer to another document")
}

// compile reads a schema; nil for an empty text. Its error may be shown.
func compile(text string) (s *schema, err error) {
	if text == "" {
		return nil, nil
	}
	defer func() {
		if thrown := recover(); thrown != nil {
			s, err = nil, errors.New("is a schema that cannot be used")
		}
	}()
	document, err := decode(text)
	if err != nil {
		return nil, err
	}
	b := &budget{}
	b.renew()
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	c.RegisterVocabulary(&jsonschema.Vocabulary{
		URL: "urn:sonde:budget",
		Compile: func(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) {
			return b, nil
		},
	})
	c.AssertVocabs()
	const here = "https://schema.invalid/schema" // relative references lead nowhere
	if err := c.AddResource(here, document); err != nil {
		return nil, fmt.Errorf("is no JSON Schema: %s", short(err.Error()))
	}
	compiled, err := c.Compile(here)
	if err != nil {
		return nil, fmt.Errorf("is no JSON Schema: %s", short(err.Error()))
	}
	return &schema{compiled, b}, nil
}

// misfit is a place in a value that does not fit.
type misfit struct {
	path  string // a JSON pointer; empty: the whole value
	said  string
	whole bool // it was not compared with the schema at all
}

// check says why a value does not fit, nil when it does. No value is null. The error may be shown.
func (s *schema) check(text string) error {
	found := s.misfits(text)
	switch {
	case len(found) == 0:
		return nil
	case found[0].path != "":
		return fmt.Errorf("does not fit the schema: at %s: %s", short(found[0].path), found[0].said)
	case found[0].whole:
		return errors.New(found[0].said)
	}
	return fmt.Errorf("does not fit the schema: %s", found[0].said)
}

// misfits lists every place of a value that does not fit, innermost reasons only.
func (s *schema) misfits(text string) (found []misfit) {
	if s == nil {
		return nil
	}
	if text == "" {
		text = "null"
	}
	value, err := decode(text)
	if err != nil {
		return []misfit{{said: err.Error(), whole: true}}
	}
	defer func() {
		if thrown := recover(); thrown != nil {
			said := errTooExpensive.Error()
			if thrown != errTooExpensive { //nolint:errorlint // the very one
				said = "cannot be checked against the schema"
			}
			found = []misfit{{said: said, whole: true}}
		}
	}()
	s.budget.renew()
	err = s.compiled.Validate(value)
	if failed, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return innermost(failed, nil)
	}
	if err != nil {
		return []misfit{{said: short(err.Error()), whole: true}}
	}
	return nil
}

// innermost adds the reasons that have no reasons themselves, up to as many as are told.
func innermost(failed *jsonschema.ValidationError, found []misfit) []misfit {
	if len(found) == maxFailures {
		return found
	}
	if len(failed.Causes) == 0 {
		said := failed.ErrorKind.LocalizedString(message.NewPrinter(language.English))
		return append(found, misfit{path: pointer(failed.InstanceLocation), said: short(said)})
	}
	for _, cause := range failed.Causes {
		found = innermost(cause, found)
	}
	return found
}

func short(text string) string {
	text = cleanText(text)
	if len(text) > maxSaid {
		text = strings.ToValidUTF8(text[:maxSaid], "") + "…"
	}
	return text
}

// decode reads JSON for a validation. It refuses a value with too many parts, and one with a number of
// astronomic size, which the validation would write out.
func decode(text string) (any, error) {
	if parts(text) > maxValues {
		return nil, fmt.Errorf("has more than %d values, too many to check", maxValues)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("is no JSON: %s", short(err.Error()))
	}
	return value, checkNumbers(value)
}

// parts counts the values in JSON: whatever follows the beginning of a list or object, or a comma.
func parts(text string) int {
	count, quoted := 1, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\':
			i++
		case !quoted && (c == ',' || c == '[' || c == '{'):
			count++
		}
	}
	return count
}

func checkNumbers(value any) error {
	switch v := value.(type) {
	case json.Number:
		if digits(string(v)) > maxDigits {
			return fmt.Errorf("has a number that is too long to check: %s", short(string(v)))
		}
	case []any:
		for _, element := range v {
			if err := checkNumbers(element); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, member := range v {
			if err := checkNumbers(member); err != nil {
				return err
			}
		}
	}
	return nil
}

// digits is how long a number is when it is written out, roughly.
func digits(number string) int {
	e := strings.IndexAny(number, "eE")
	if e < 0 {
		return len(number)
	}
	exponent, err := strconv.Atoi(number[e+1:])
	if err != nil || exponent > maxDigits || exponent < -maxDigits {
		return maxDigits + 1
	}
	return e + max(exponent, -exponent)
}

// schemas are those of a dataset.
type schemas struct{ input, expectedOutput *schema }

func schemasOf(d model.Dataset) (s schemas, err error) {
	if s.input, err = compile(d.InputSchema); err != nil {
		return s, fault.Invalidf("inputSchema", "%s", err)
	}
	if s.expectedOutput, err = compile(d.ExpectedOutputSchema); err != nil {
		return s, fault.Invalidf("expectedOutputSchema", "%s", err)
	}
	return s, nil
}

// check refuses an item that breaks a schema of its dataset.
func (s schemas) check(i model.DatasetItem) error {
	if err := s.input.check(i.Input); err != nil {
		return fault.Invalidf("input", "%s", err)
	}
	if err := s.expectedOutput.check(i.ExpectedOutput); err != nil {
		return fault.Invalidf("expectedOutput", "%s", err)
	}
	return nil
}

// oneAtATime lets a project check one item at a time, so that none takes all processors.
func (s *Service) oneAtATime(ctx context.Context, projectID string, check func() error) error {
	done, err := s.turns.take(ctx, "check\x00"+projectID)
	if err != nil {
		return err
	}
	defer done()
	return check()
}

// checkItems refuses schemas that items of the dataset do not fit, and names some of those.
func (s *Service) checkItems(ctx context.Context, d model.Dataset) error {
	wanted, err := schemasOf(d)
	if err != nil || (wanted.input == nil && wanted.expectedOutput == nil) {
		return err
	}
	var found []error
	for at := 0; ; at += itemsPerPage {
		visited := 0
		err := s.store.EachItem(ctx, metastore.ItemQuery{ProjectID: d.ProjectID, DatasetID: d.ID, AnyStatus: true, Offset: at, Limit: itemsPerPage},
			func(i model.DatasetItem) error {
				visited++
				return s.oneAtATime(ctx, d.ProjectID, func() error {
					found = append(found, itemErrors(wanted, i)...)
					if len(found) >= maxItemErrors {
						return errors.Join(found[:maxItemErrors]...)
					}
					return nil
				})
			})
		if err != nil {
			return err
		}
		if visited < itemsPerPage {
			return errors.Join(found...)
		}
	}
}

func itemErrors(wanted schemas, i model.DatasetItem) (found []error) {
	if err := wanted.input.check(i.Input); err != nil {
		found = append(found, fault.Invalidf("inputSchema", "must be one that every item fits: the input of item %q %s", i.ID, err))
	}
	if err := wanted.expectedOutput.check(i.ExpectedOutput); err != nil {
		found = append(found, fault.Invalidf("expectedOutputSchema", "must be one that every item fits: the expected output of item %q %s", i.ID, err))
	}
	return found
}
