import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CsvError, CsvReader, csvLine } from "./csv";

function read(text: string, pieces: number[] = [], separator?: string) {
  const reader = new CsvReader(separator);
  const rows = [];
  let from = 0;
  for (const size of pieces) {
    rows.push(...reader.push(text.slice(from, from + size)));
    from += size;
  }
  return [...rows, ...reader.push(text.slice(from)), ...reader.end()];
}
const cells = (text: string, separator?: string) => read(text, [], separator).map((row) => row.cells);

// A row of one empty cell is an empty line, which is passed over.
const anyRow = fc.array(fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", "\r", " ", "ü", "😀", ";") }), { minLength: 1, maxLength: 4 }).filter((row) => row.length > 1 || row[0] !== "");

describe("CsvReader", () => {
  it("reads back what was written, however it is cut into pieces", () => {
    fc.assert(fc.property(fc.array(anyRow, { maxLength: 6 }), fc.array(fc.nat(5), { maxLength: 40 }), (rows, pieces) => {
      expect(read(rows.map(csvLine).join(""), pieces).map((row) => row.cells)).toEqual(rows);
    }));
  });

  it("gives each row the line it begins in, however it is cut", () => {
    fc.assert(fc.property(fc.array(anyRow, { maxLength: 6 }), fc.array(fc.nat(3), { maxLength: 40 }), (rows, pieces) => {
      let line = 1;
      const lines = rows.map((row) => {
        const here = line;
        line += csvLine(row).match(/\r\n|\r|\n/g)!.length;
        return here;
      });
      expect(read(rows.map(csvLine).join(""), pieces).map((row) => row.line)).toEqual(lines);
    }));
  });

  it("never fails but by CsvError, and never gives an endless answer", () => {
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", "\r") }), (text) => {
      try {
        expect(read(text).length).toBeLessThanOrEqual(text.length + 1);
      } catch (error) {
        expect(error).toBeInstanceOf(CsvError);
      }
    }));
  });

  it("takes the ways in which programs write it", () => {
    expect(cells("\uFEFFa,b\r\n1,\"x \"\"y\"\"\"\r\n")).toEqual([["a", "b"], ["1", 'x "y"']]);
    expect(cells("a\rb\r")).toEqual([["a"], ["b"]]);
    expect(cells('a,\n\n,\n5" disk,b')).toEqual([["a", ""], ["", ""], ['5" disk', "b"]]);
    expect(cells("a;b,c", ";")).toEqual([["a", "b,c"]]);
    expect(cells('""')).toEqual([[""]]);
    expect(cells("")).toEqual([]);
  });

  it("says in which line something is wrong", () => {
    expect(() => read('a\n"b\nc')).toThrow("Line 2: a quote is opened and never closed");
    expect(() => read('a\n"b" c')).toThrow("Line 2: text follows a closing quote");
    expect(() => read(`"${"x".repeat(5_000_001)}`)).toThrow("is a quote missing?");
  });
});
