import { scoreText } from "@/shared/ui/ScoreChip";
import type { Score } from "./api";

/** What a score is about, in words of the API. */
function subjectOf({ subject }: Score): [kind: string, id: string, traceId: string] {
  if (subject === undefined) return ["", "", ""];
  return [subject.kind, subject.id, subject.kind === "trace" ? subject.id : ("traceId" in subject ? (subject.traceId ?? "") : "")];
}

const columns: readonly [header: string, value: (score: Score, nameOf: (id: string) => string) => string][] = [
  ["id", ({ id }) => id],
  ["timestamp", ({ timestamp }) => timestamp],
  ["name", ({ name }) => name],
  ["value", (score) => (typeof score.value === "number" ? String(score.value) : typeof score.value === "boolean" ? String(score.value) : scoreText(score))],
  ["dataType", ({ dataType }) => dataType],
  ["source", ({ source }) => source],
  ["author", ({ authorUserId }, nameOf) => (authorUserId ? nameOf(authorUserId) : "")],
  ["comment", ({ comment }) => comment ?? ""],
  ["subjectKind", (score) => subjectOf(score)[0]],
  ["subjectId", (score) => subjectOf(score)[1]],
  ["traceId", (score) => subjectOf(score)[2]],
  ["environment", ({ environment }) => environment],
];

/** Scores as a table for other programs: RFC 4180, one line of names first. */
export function scoresCsv(scores: readonly Score[], nameOf: (id: string) => string): string {
  const lines = [columns.map(([header]) => header), ...scores.map((score) => columns.map(([, value]) => value(score, nameOf)))];
  return `${lines.map((line) => line.map(cell).join(",")).join("\r\n")}\r\n`;
}

/** A text that a spreadsheet would run as a formula gets a quote before it; numbers are left alone. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^[+-]?[\d.]+(e[+-]?\d+)?$/i.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
