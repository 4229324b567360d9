import type { ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { eventually, start, stop } from "./processes";
import type { Stand } from "./stand";

export interface Member {
  id: string;
  name: string;
}

/** Many agents in one process that speak the real protocol and serve nothing. */
export class Fleet {
  private constructor(
    readonly members: Member[],
    private readonly agents: ChildProcess,
  ) {}

  static async start(stand: Stand, session: string, count: number): Promise<Fleet> {
    const { token } = await stand.call<{ token: string }>(session, "POST", "/api/v1/nodes/enrollment-tokens", {
      kind: "reusable",
      usage_limit: count,
    });
    const names = Array.from({ length: count }, (_, index) => `sim-${String(index + 1).padStart(2, "0")}`);
    const enrolled = await Promise.all(
      names.map((name, index) => enrol(stand.url, token, name, `127.1.0.${index + 1}`)),
    );
    const file = join(stand.folder, "fleet.jsonl");
    writeFileSync(file, enrolled.map((member) => `${JSON.stringify(member)}\n`).join(""));
    const agents = start(
      stand.agentProgram,
      ["simulate", "--panel", stand.url, "--count", String(count), "--tokens-file", file, "--spread", "1s"],
      {},
      join(stand.folder, "fleet.log"),
    );
    const fleet = new Fleet(
      enrolled.map(({ node_id: id }, index) => ({ id, name: names[index]! })),
      agents,
    );
    await eventually("a fleet that reports", 120, async () => {
      const { states } = await stand.call<{ states: Record<string, number> }>(session, "GET", "/api/v1/nodes/summary");
      return (states.online ?? 0) >= count ? true : undefined;
    });
    return fleet;
  }

  /** Silences every agent without a word, as an outage of their network does. */
  silence(): void {
    this.agents.kill("SIGSTOP");
  }

  /** Lets the agents speak again. */
  restore(): void {
    this.agents.kill("SIGCONT");
  }

  async close(): Promise<void> {
    this.restore();
    await stop(this.agents);
  }
}

// Each from an address of its own, because a panel bounds how often one address asks.
function enrol(url: string, token: string, name: string, localAddress: string) {
  const body = JSON.stringify({
    token,
    name,
    hostname: name,
    os: "linux",
    arch: "amd64",
    agent_version: "1.0.0",
    protocol: 2,
  });
  return new Promise<{ node_id: string; agent_token: string }>((resolve, reject) => {
    const asked = request(
      `${url.replace("localhost", "127.0.0.1")}/install/enroll`,
      { method: "POST", localAddress, headers: { "Content-Type": "application/json" } },
      (answer) => {
        let text = "";
        answer.on("data", (part: Buffer) => (text += part.toString()));
        answer.on("end", () =>
          answer.statusCode === 201
            ? resolve(JSON.parse(text) as { node_id: string; agent_token: string })
            : reject(new Error(`${name} was not enrolled: ${answer.statusCode} ${text}`)),
        );
      },
    );
    asked.on("error", reject);
    asked.end(body);
  });
}
