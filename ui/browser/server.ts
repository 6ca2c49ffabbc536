import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

export const binary = fileURLToPath(new URL("../../bin/sonde", import.meta.url));
const engine = process.env.SONDE_ENGINE_LIBRARY ?? fileURLToPath(new URL("../../.engine/libchdb.so", import.meta.url));

export const person = { name: "Ada", email: "ada@example.com", password: "correct horse battery" };
export const keys = { publicKey: "pk-lf-browser", secretKey: "sk-lf-browser" };

export interface Server {
  url: string;
  stop: () => Promise<void>;
}

/** Starts the built binary on a free port of this machine. Without a person it is as on its first day, and asks for one. What is outbound is
 * a server on this machine that projects may have called. */
export async function startServer(dataDir: string, { withPerson = true, outbound = "" } = {}): Promise<Server> {
  if (!existsSync(binary)) throw new Error(`there is no ${binary}: run "make ui build" first`);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const first = [
    "--init-organization", "Acme", "--init-project-id", "large", "--init-project", "Large",
    "--init-project-public-key", keys.publicKey, "--init-project-secret-key", keys.secretKey,
    "--init-user-email", person.email, "--init-user-name", person.name, "--init-user-password", person.password,
  ];
  const child = spawn(binary, ["serve", "--data-dir", dataDir, "--listen", `127.0.0.1:${port}`, "--grpc-listen=", "--metrics-listen=", "--outbound-endpoints", outbound, ...(withPerson ? first : [])], {
    env: { ...process.env, SONDE_ENGINE_LIBRARY: engine }, stdio: ["ignore", "pipe", "pipe"],
  });
  process.once("exit", () => child.kill()); // a run that is broken off leaves no server behind
  let log = "";
  const keep = (text: Buffer) => (log = (log + text.toString()).slice(-4000));
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  for (let waited = 0; !(await answers(`${url}/api/public/ready`)); waited++) {
    if (child.exitCode !== null || waited > 600) {
      await stop();
      throw new Error(`the server does not start:\n${log}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { url, stop };
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(({ ok }) => ok, () => false);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
