/** Where the bytes of a picture, a sound or a file are. */
export type MediaSource =
  | { kind: "kept"; type: string; id: string } // taken out of the text by the server, and kept beside it
  | { kind: "inline"; type: string; address: string; size: number }
  | { kind: "remote"; type: string; address: string };

const reference = /^@@@langfuseMedia:type=([^|]+)\|id=([^|]+)\|source=[^@]*@@@$/;

/** Reads what a message has for media: a reference, an address, or the bytes themselves, with or without their type. */
export function mediaSource(type: string, source: string): MediaSource {
  const [, keptType, id] = reference.exec(source) ?? [];
  if (keptType !== undefined && id !== undefined) return { kind: "kept", type: keptType, id };
  if (/^https?:/i.test(source)) return { kind: "remote", type, address: source };
  const known = /^data:([^;,]+)/.exec(source)?.[1] ?? type;
  return { kind: "inline", type: known, address: source.startsWith("data:") ? source : `data:${known};base64,${source}`, size: Math.round(source.length * 0.75) };
}
