/** An event of a stream: its name and its data, still as text. */
export interface StreamEvent {
  name: string;
  data: string;
}

/** Takes events out of what came so far, and returns them with the rest, which waits for more. */
export function takeEvents(text: string): { events: StreamEvent[]; rest: string } {
  const parts = text.split("\n\n");
  const rest = parts.pop() ?? "";
  const events = parts.flatMap((part): StreamEvent[] => {
    const lines = part.split("\n");
    const data = lines.filter((line) => line.startsWith("data: ")).map((line) => line.slice("data: ".length)).join("\n");
    return data === "" ? [] : [{ name: lines.find((line) => line.startsWith("event: "))?.slice("event: ".length) ?? "message", data }];
  });
  return { events, rest };
}

/** Reads a stream of events to its end. */
export async function readEvents(body: ReadableStream<Uint8Array>, handle: (event: StreamEvent) => void): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>).getReader();
  let waiting = "";
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- one piece after the other
    const { done, value } = await reader.read();
    if (done) return;
    const { events, rest } = takeEvents(waiting + value);
    waiting = rest;
    events.forEach(handle);
  }
}
