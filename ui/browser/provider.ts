import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Where webhooks of alerts are taken, whatever they say. */
export const hookPath = "/hook";
export const providerKey = "sk-browser-0123456789";

export interface Provider {
  url: string;
  stop: () => Promise<void>;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The models of the provider: one repeats what it was told, one calls the tool it is offered, one never ends, two refuse, and one gives every answer a score of 0.75. */
export const providedModels = ["echo", "caller", "endless", "picky", "locked", "judge"];

/** A provider of models on this machine that speaks the API of OpenAI. */
export async function startProvider(port = 0): Promise<Provider> {
  const server = createServer((request, response) => {
    if (request.url === hookPath) return void response.writeHead(204).end();
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
  tools?: { function: { name: string } }[];
  response_format?: object;
}

/** What an answer by a schema is. */
export const schemaAnswer = { city: "Oslo", rain: true };

async function answer({ model, messages, tools = [], response_format: schema }: Asked, authorization: string | undefined, response: ServerResponse): Promise<void> {
  const refuse = (status: number, message: string) => response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify({ error: { message } }));
  if (authorization !== `Bearer ${providerKey}`) return void refuse(401, "Incorrect API key provided");
  if (model === "locked") return void refuse(403, "This key may not use the model");
  if (model === "picky") return void refuse(400, "This model takes no such messages");
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  const send = (event: object) => response.write(`data: ${JSON.stringify({ model, ...event })}\n\n`);
  const tell = (delta: object) => send({ choices: [{ index: 0, delta, finish_reason: null }] });
  const say = (content: string) => tell({ content });
  const [tool] = tools;
  if (model === "caller" && tool !== undefined) {
    tell({ tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: tool.function.name, arguments: "" } }] });
    for (const piece of ['{"city":', '"Oslo"}']) tell({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
  } else {
    const words = model === "judge" ? JSON.stringify({ reasoning: "It says when the parcel comes.", score: 0.75 }) : schema === undefined ? `You said: ${messages.at(-1)?.content ?? ""}` : JSON.stringify(schemaAnswer, null, 1);
    for (const word of words.split(/(?<= )/)) {
      say(word);
      await pause(20);
    }
  }
  if (model === "endless") {
    for (; !response.destroyed; await pause(50)) say("and on ");
  }
  send({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
  send({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 } });
  response.end("data: [DONE]\n\n");
}
