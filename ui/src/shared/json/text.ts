import type { Value } from "./scan";

const decoder = new TextDecoder();

/** How many characters of a string a row shows. */
export const shownCharacters = 240;

export interface Shown {
  text: string;
  /** How many bytes of the value are not shown. */
  cut: number;
}

/** A string or a name without quotes and escapes, cut where it gets long. */
export function stringOf(bytes: Uint8Array, place: { start: number; end: number }, limit = Number.POSITIVE_INFINITY): Shown {
  const size = place.end - place.start - 2;
  if (size <= limit) return { text: unescaped(bytes, place.start + 1, place.end - 1), cut: 0 };
  const end = wholeEnd(bytes, place.start + 1, place.start + 1 + limit);
  return { text: unescaped(bytes, place.start + 1, end), cut: place.end - 1 - end };
}

/** The text of a value as it is written. */
export function sourceOf(bytes: Uint8Array, value: Value): string {
  return decoder.decode(bytes.subarray(value.start, value.end));
}

function unescaped(bytes: Uint8Array, start: number, end: number): string {
  const source = decoder.decode(bytes.subarray(start, end));
  if (!source.includes("\\")) return source;
  try {
    return JSON.parse(`"${source}"`) as string;
  } catch {
    return source; // a broken escape is shown as it is
  }
}

/** The last place before end that splits neither a character nor an escape. */
function wholeEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const next = at + unitSize(bytes, at);
    if (next > end) break;
    at = next;
  }
  return at;
}

function unitSize(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] ?? 0;
  if (byte === 0x5c) {
    if (bytes[at + 1] !== 0x75) return 2;
    // A pair of escapes is one character.
    return bytes[at + 6] === 0x5c && bytes[at + 7] === 0x75 && isHighSurrogate(bytes, at) ? 12 : 6;
  }
  if (byte < 0x80) return 1;
  return byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
}

function isHighSurrogate(bytes: Uint8Array, at: number): boolean {
  return /^\\ud[89ab]/i.test(String.fromCharCode(...bytes.subarray(at, at + 4)));
}
