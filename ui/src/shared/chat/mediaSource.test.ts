import { expect, it } from "vitest";
import { mediaSource } from "./mediaSource";

it.each<[string, string, string, object]>([
  ["a reference", "image", "@@@langfuseMedia:type=image/png|id=SXeQ-lH_1|source=base64_data_uri@@@", { kind: "kept", type: "image/png", id: "SXeQ-lH_1" }],
  ["an address", "image", "https://example.com/a.png", { kind: "remote", type: "image", address: "https://example.com/a.png" }],
  ["a data address", "image", "data:image/gif;base64,AAAA", { kind: "inline", type: "image/gif", address: "data:image/gif;base64,AAAA", size: 20 }],
  ["bare bytes", "audio/wav", "AAAA", { kind: "inline", type: "audio/wav", address: "data:audio/wav;base64,AAAA", size: 3 }],
  ["a text that only looks like a reference", "image", "see @@@langfuseMedia:type=image/png|id=a|source=x@@@", { kind: "inline" }],
])("%s", (_, type, source, want) => expect(mediaSource(type, source)).toMatchObject(want));
