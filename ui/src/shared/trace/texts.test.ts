import fc from "fast-check";
import { expect, it } from "vitest";
import { Texts } from "./texts";

const text = fc.string({ unit: "grapheme", maxLength: 12 });

it("gives back every text, and finds the first row that has it", () => {
  fc.assert(
    fc.property(fc.array(text), fc.array(text), (before, after) => {
      const texts = new Texts(2, 4);
      for (const value of before) texts.push(value);
      texts.find("x"); // the index is there before the rest comes
      for (const value of after) texts.push(value);
      const all = [...before, ...after];
      expect(all.map((_, row) => texts.at(row))).toEqual(all);
      for (const value of all) expect(texts.find(value)).toBe(all.indexOf(value));
      all.forEach((value, row) => expect(texts.isEmpty(row)).toBe(value === ""));
      const others = new Texts(1, 1);
      for (const value of after) others.push(value);
      after.forEach((value, row) => expect(texts.findSame(others, row)).toBe(all.indexOf(value)));
      if (!all.includes("absent")) expect(texts.find("absent")).toBe(-1);
    }),
  );
});
