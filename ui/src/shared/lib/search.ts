/** The part of an address behind "?". Values are plain strings: an id that looks like a number or like
 * JSON comes out as it went in. A key that is given several times is a list. */
export type Search = Record<string, string | string[] | undefined>;

export function parseSearch(text: string): Search {
  const search = Object.create(null) as Search; // a key may be called "constructor"
  for (const [key, value] of new URLSearchParams(text)) {
    const before = search[key];
    search[key] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value];
  }
  return search;
}

export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(search)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null && item !== "") params.append(key, String(item));
    }
  }
  const text = params.toString();
  return text === "" ? "" : `?${text}`;
}

/** The value of a key that is meant to be there once; of several the first. */
export function one(search: Search, key: string): string | undefined {
  const value = search[key];
  return Array.isArray(value) ? value[0] : value;
}
