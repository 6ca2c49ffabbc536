/** The beginning of an input or output in one line. Of chat messages it is what the last one says, as far as it was sent along. */
export function previewText(text: string): string {
  return (messageText(text) ?? text).replace(/\s+/g, " ").trim();
}

const content = /"(?:content|text)"\s*:\s*"((?:[^"\\]|\\.)*)("?)/g;

/** Texts are cut at some length, so this cannot be read as JSON: it looks for contents. Null: there are none. */
function messageText(text: string): string | null {
  if (!/^\s*[[{]/.test(text)) return null;
  let found: string | null = null;
  for (const [, written] of text.matchAll(content)) if (written !== "") found = unescape(written!);
  return found;
}

function unescape(written: string): string {
  try {
    return JSON.parse(`"${written}"`) as string;
  } catch {
    return written; // cut in the middle of an escape
  }
}
