import { spawn, type ChildProcess } from "node:child_process";
import { createWriteStream } from "node:fs";
import { createServer } from "node:net";

let lastPort = 20_000 + Math.floor(Math.random() * 5_000);

/**
 * A port that nobody listens on, and that nobody gets by chance before it is used: the system gives ports from 32768 up
 * to whoever asks for any.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lastPort < 32_000 ? lastPort + 1 : 20_000;
    lastPort = port;
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().on("error", () => resolve(false));
    probe.listen(port, () => probe.close(() => resolve(true)));
  });
}

/** Starts a program that runs until it is stopped; its words go to a file. */
export function start(path: string, args: string[], env: Record<string, string>, log: string): ChildProcess {
  const child = spawn(path, args, {
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "/", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const file = createWriteStream(log);
  child.stdout.pipe(file);
  child.stderr.pipe(file);
  return child;
}

/** Runs a program to its end and gives what it printed. */
export function run(
  path: string,
  args: string[],
  input = "",
  env: Record<string, string> = {},
  folder = process.cwd(),
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, { cwd: folder, env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] });
    let [out, err] = ["", ""];
    child.stdout.on("data", (part: Buffer) => (out += part.toString()));
    child.stderr.on("data", (part: Buffer) => (err += part.toString()));
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve(out.trim()) : reject(new Error(`${path} ${args[0]} ended with ${code}: ${err}`)),
    );
    child.stdin.on("error", () => undefined); // it may end without having read everything
    child.stdin.end(input);
  });
}

export function stop(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const force = setTimeout(() => child.kill("SIGKILL"), 15_000);
    child.once("exit", () => {
      clearTimeout(force);
      resolve();
    });
    child.kill("SIGTERM");
  });
}

/** Asks until the answer is good or the time is over. */
export async function eventually<T>(what: string, seconds: number, ask: () => Promise<T | undefined>): Promise<T> {
  const end = Date.now() + seconds * 1000;
  let last: unknown;
  while (Date.now() < end) {
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${what} did not happen within ${seconds} s: ${String(last)}`);
}
