import { diffWordsWithSpace } from "diff";

/** Comparing takes a square of time where nothing is alike: then all is gone, and all is new. */
const patienceMs = 200;

/** Texts that have less in common are another text: word by word they would be a riddle. */
const related = 0.3;

export interface Part {
  value: string;
  added?: boolean;
  removed?: boolean;
}

/** What changed from one text to another, word by word, or as a whole where they have little in common. */
export function partsOf(before: string, after: string): Part[] {
  const whole = [{ value: before, removed: true }, { value: "\n" }, { value: after, added: true }].filter(({ value }) => value !== "");
  const parts: Part[] = diffWordsWithSpace(before, after, { timeout: patienceMs }) ?? whole;
  const kept = parts.reduce((sum, { value, added, removed }) => sum + (added || removed ? 0 : value.trim().length), 0);
  return kept < related * Math.min(before.length, after.length) ? whole : together(parts);
}

/** Words that only the spaces between them have in common are one change: in turns, gone and new, nobody could read them. */
function together(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  let [gone, came] = ["", ""];
  const flush = () => {
    if (gone !== "") joined.push({ value: gone, removed: true });
    if (came !== "") joined.push({ value: came, added: true });
    [gone, came] = ["", ""];
  };
  for (const [index, { value, added, removed }] of parts.entries()) {
    const between = value.trim() === "" && gone + came !== "" && index < parts.length - 1;
    if (removed || (between && !added)) gone += value;
    if (added || (between && !removed)) came += value;
    if (added || removed || between) continue;
    flush();
    joined.push({ value });
  }
  flush();
  return joined;
}
