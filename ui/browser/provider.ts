import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export const providerKey = "sk-browser-0123456789";

export interface Provider {
  url: string;
  stop: () => Promise<void>;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A provider of models on this machine that speaks the API of OpenAI: "echo" repeats what it was told, "endless" never ends, "picky" refuses, "judge" gives every answer a score of 0.75. */
export async function startProvider(port = 0): Promise<Provider> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => void answer(JSON.parse(Buffer.concat(chunks).toString()) as Asked, request.headers.authorization, response));
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface Asked {
  model: string;
  messages: { content: string }[];
}

async function answer({ model, messages }: Asked, authorization: string | undefined, response: ServerResponse): Promise<void> {
  const refuse = (status: number, message: string) => response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify({ error: { message } }));
  if (authorization !== `Bearer ${providerKey}`) return void refuse(401, "Incorrect API key provided");
  if (model === "picky") return void refuse(400, "This model takes no such messages");
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  const send = (event: object) => response.write(`data: ${JSON.stringify({ model, ...event })}\n\n`);
  const say = (content: string) => send({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
  const text = model === "judge" ? JSON.stringify({ reasoning: "It says when the parcel comes.", score: 0.75 }) : `You said: ${messages.at(-1)?.content ?? ""}`;
  for (const word of text.split(/(?<= )/)) {
    say(word);
    await pause(20);
  }
  if (model === "endless") {
    for (; !response.destroyed; await pause(50)) say("and on ");
  }
  send({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
  send({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 } });
  response.end("data: [DONE]\n\n");
}
