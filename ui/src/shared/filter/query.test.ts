import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Field, observationColumns } from "./catalog";
import type { Condition } from "./condition";
import { parse } from "./parse";
import { print } from "./print";
import queries from "./testdata/queries.json";

const sign = fc.constantFrom(..."abzAZ09 _.,:;-*+=<>~()\"'\\/\n\t{}[]%&#é日", "\u{1f600}", "\u00a0", "OR", "\0");
const text = fc.string({ unit: sign, maxLength: 12 });
const words = fc.oneof(text, fc.constantFrom("OR", "AND", "*", "a*", "-x", "=x", '"', "\\", "a\nb", "()", "a:b", ">2"));
const wordy = words.map((value) => `${value}é1`);
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const moment = fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true }).map((date) => date.toISOString());

/** Any condition that the catalog allows on a column. */
function conditionOn(field: Field): fc.Arbitrary<Condition>[] {
  return Object.entries(field.operators).flatMap(([type, operators]) =>
    operators.map((operator) => {
      const key = type.endsWith("Object") ? words.filter((one) => one !== "") : fc.constant(undefined);
      return fc.tuple(key, valueOf(type, operator)).map(([k, value]) => {
        const condition = { type, column: field.column, operator, value, ...(k === undefined ? {} : { key: k }) };
        return condition as Condition;
      });
    }),
  );
}

function valueOf(type: string, operator: string): fc.Arbitrary<unknown> {
  if (operator === "is set" || operator === "is not set") return fc.constant("");
  if (operator === "matches") return wordy;
  const values: Record<string, fc.Arbitrary<unknown>> = {
    string: words,
    stringObject: words,
    stringOptions: fc.array(words, { minLength: 1, maxLength: 4 }),
    arrayOptions: fc.array(words, { minLength: operator === "any of" ? 1 : 0, maxLength: 4 }),
    number,
    numberObject: number,
    datetime: moment,
    boolean: fc.boolean(),
    null: fc.constant(null),
  };
  return values[type]!;
}

const condition = fc.oneof(...observationColumns.flatMap(conditionOn));

describe("query", () => {
  it("gives every list of conditions back, and the words to search for", () => {
    const search = fc.array(words, { maxLength: 3 }).map((list) => list.join(" "));
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 4 }), search, (conditions, wanted) => {
        const query = parse(print(conditions, wanted));
        expect(query.problems).toEqual([]);
        expect(query.conditions).toEqual(conditions);
        expect(query.search).toBe(wanted);
      }),
      { numRuns: 500 },
    );
  });

  it("drops nothing: every sign is a space or belongs to a term with a meaning or a problem", () => {
    const piece = fc.oneof(text, fc.constantFrom("name:", "-", '"', "(", ")", " OR ", "*", "latency:>", "metadata.", "has:", " ", "tags:(a"));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }).map((list) => list.join("")), (typed) => {
        const { terms, problems } = parse(typed);
        let at = 0;
        for (const term of terms) {
          expect(typed.slice(at, term.from).trim()).toBe("");
          expect(term.to).toBeGreaterThan(term.from);
          expect([term.condition, term.search, term.problem].filter((part) => part !== undefined)).toHaveLength(1);
          at = term.to;
        }
        expect(typed.slice(at).trim()).toBe("");
        for (const { from, to, message } of problems) {
          expect(from).toBeLessThanOrEqual(to);
          expect(to).toBeLessThanOrEqual(typed.length);
          expect(message).toMatch(/\.$|\?$/);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("writes a text without problems in one form", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(condition.map((one) => print([one])), fc.constantFrom("word", "env:dev", "-name:=x")), { maxLength: 4 }), (terms) => {
        const once = parse(terms.join(" "));
        const normal = print(once.conditions, once.search);
        const twice = parse(normal);
        expect(print(twice.conditions, twice.search)).toBe(normal);
      }),
    );
  });

  it.each(queries)("reads $q", ({ q, filter, search, print: normal }) => {
    const query = parse(q);
    expect(query.problems).toEqual([]);
    expect(query.conditions).toEqual(filter);
    expect(query.search).toBe(search ?? "");
    expect(print(query.conditions, query.search)).toBe(normal ?? q);
  });
});

describe("problems", () => {
  it.each([
    ["nam:x", "nam", "There is no column nam. Did you mean name or traceName? To search for the text itself, put it in quotes."],
    ["level:ERROR nope:x", "nope", "There is no column nope. To search for the text itself, put it in quotes."],
    ["latency:>fast", "fast", "This is not a number. Write it like latency:>2, in seconds."],
    ["-latency:>2", "-latency:>2", "Turn the comparison around instead: latency:<=2."],
    ["latency:", "latency:", "latency needs a value, such as latency:>2."],
    ["input:*refund*", "input:*refund*", 'input finds whole words: write input:"refund", or input:="the whole text". Words without a column find parts of words, too.'],
    ["-input:refund", "-input:refund", "The API cannot exclude by input."],
    ["has:input", "has:input", "Every observation has input. Write hasInput:true."],
    ["metadata:eu", "metadata:eu", "Say which key of the metadata: metadata.region:eu."],
    ["-metadata.k:eu", "-metadata.k:eu", "A value of metadata cannot be excluded. Put a star on both sides to exclude what contains it."],
    ["startTime:>soon", "soon", "Write a time like 2026-05-01T10:00:00Z, or a date alone."],
    ["type:(A AND B)", "type:(A AND B)", "type has one value only; use OR."],
    ["type:(A B)", "(A B)", "Put OR between the values."],
    ["tags:(a OR b AND c)", "(a OR b AND c)", "Use either OR or AND between the values, not both."],
    ["type:(A", "(A", "This bracket is never closed."],
    ['name:"x', '"x', "This quote is never closed."],
    ["level:ERROR OR level:WARNING", "OR", "OR works only between values of one column: type:(TOOL OR AGENT)."],
    ["-word", "-word", "A search for text cannot be turned around. For a dash in the text, use quotes."],
    ["hasInput:yes", "hasInput:yes", "Write hasInput:true or hasInput:false."],
    ["scores.x:>0.8", "scores.x:>0.8", "Observations cannot be filtered by their scores yet."],
    ["name:f(x)", "(x)", "Put the value in quotes: ( has a meaning of its own."],
    ["name:*", "name:*", "A star alone finds everything. For rows with a value write has:name."],
  ])("%s", (typed, place, message) => {
    const { problems } = parse(typed);
    expect(problems.map((one) => [typed.slice(one.from, one.to), one.message])).toEqual([[place, message]]);
  });
});
