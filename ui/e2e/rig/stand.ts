import type { ChildProcess } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Accounts } from "./accounts";
import { GeoSource } from "./geo-source";
import { Messenger } from "./messenger";
import { NameServer } from "./name-server";
import { eventually, freePort, run, start, stop } from "./processes";
import { Releases } from "./releases";

const programs = process.env.PANEL_PROGRAMS ?? new URL("../../../.run/bin/", import.meta.url).pathname;
const program = (name: string) => join(programs, name);

/** A panel as the product ships it: real executables, a private database, a license server, agents on demand. */
export class Stand {
  readonly folder = mkdtempSync(join(tmpdir(), "panel-e2e-"));
  readonly releases = new Releases(join(this.folder, "releases"));
  readonly messenger = new Messenger();
  readonly names = new NameServer();
  readonly accounts = new Accounts();
  readonly geo = new GeoSource();
  url = "";
  licenseKey = "";
  private authority: ChildProcess | undefined;
  private panel: ChildProcess | undefined;
  private readonly agents = new Map<string, ChildProcess>();
  private settings: Record<string, string> = {};

  static async start(): Promise<Stand> {
    const stand = new Stand();
    // The database may run as another user, who must reach its folder.
    chmodSync(stand.folder, 0o755);
    await Promise.all([
      stand.startAuthority(),
      ...[stand.releases, stand.messenger, stand.names, stand.accounts, stand.geo].map((one) => one.serve()),
    ]);
    await stand.startPanel();
    return stand;
  }

  private async startAuthority(): Promise<void> {
    const data = join(this.folder, "authority");
    mkdirSync(data);
    const issued = JSON.parse(
      await run(program("panel-licensed"), [
        "issue",
        "--json",
        "--plan",
        "Fleet 50",
        "--features",
        "*",
        "--activations",
        "5",
        "--data",
        data,
      ]),
    ) as { key: string };
    this.licenseKey = issued.key;
    const publicKey = await run(program("panel-licensed"), ["public-key", "--data", data]);
    const address = `127.0.0.1:${await freePort()}`;
    this.authority = start(
      program("panel-licensed"),
      ["serve", "--data", data, "--listen", address],
      {},
      join(this.folder, "authority.log"),
    );
    this.settings = { PANEL_LICENSE_URLS: `http://${address}`, PANEL_LICENSE_PUBLIC_KEY: publicKey };
  }

  private async startPanel(): Promise<void> {
    const port = await freePort();
    // A name, because browsers make passkeys for no bare address.
    this.url = `http://localhost:${port}`;
    this.settings = {
      ...this.settings,
      PANEL_BIND: "127.0.0.1",
      PANEL_PORT: String(port),
      PANEL_DATA_DIR: join(this.folder, "data"),
      PANEL_PUBLIC_URL: this.url,
      PANEL_METRICS_ADDR: `127.0.0.1:${await freePort()}`,
      PANEL_AGENT_DIR: this.releases.folder,
      PANEL_UPDATE_PUBLIC_KEY: this.releases.publicKey,
      PANEL_UPDATE_URL: this.releases.address,
      PANEL_MESSENGER_API_ROOT: this.messenger.address,
      PANEL_DNS_RESOLVERS: this.names.address,
      PANEL_CLOUDFLARE_API_ROOT: `${this.accounts.address}/client/v4`,
      // Stand-ins and servers of the journeys are on this machine.
      PANEL_OUTBOUND_ALLOW: "127.0.0.0/8",
      ...(process.env.PANEL_PG_BIN ? { PANEL_PG_BIN: process.env.PANEL_PG_BIN } : {}),
    };
    await this.runPanel();
  }

  /** Ends the panel, as a server that goes down; `restartPanel` brings it back. */
  stopPanel(): Promise<void> {
    return stop(this.panel);
  }

  /** Ends the panel and starts it with more in its environment, as after a change of panel.env. */
  async restartPanel(more: Record<string, string>): Promise<void> {
    await stop(this.panel);
    this.settings = { ...this.settings, ...more };
    await this.runPanel();
  }

  private async runPanel(): Promise<void> {
    this.panel = start(program("panelctl"), ["serve"], this.settings, join(this.folder, "panel.log"));
    await eventually("a healthy panel", 120, async () => ((await fetch(`${this.url}/health`)).ok ? true : undefined));
  }

  /** Makes an agent of this machine as the token says, and lets it run. A new build of it has few seconds to report. */
  async runAgent(name: string, token: string, env: Record<string, string> = {}): Promise<void> {
    const data = join(this.folder, `agent-${name}`);
    await run(
      program("panel-agent"),
      ["enroll", "--panel", this.url, "--data", data, "--name", name, "--token-stdin"],
      token,
    );
    this.startAgent(name, env);
  }

  /** Lets an agent run that was made before. */
  startAgent(name: string, env: Record<string, string> = {}): void {
    const data = join(this.folder, `agent-${name}`);
    this.agents.set(
      name,
      start(
        program("panel-agent"),
        ["run", "--data", data, "--update-patience", "20s"],
        env,
        join(this.folder, `agent-${name}.log`),
      ),
    );
  }

  /** Ends an agent with all that it serves, as a server that goes down. */
  async stopAgent(name: string): Promise<void> {
    await stop(this.agents.get(name));
    this.agents.delete(name);
  }

  /**
   * Breaks the core of an agent, which starts it again and again in vain while its port is taken. Gives what lets it
   * have the port again.
   */
  async breakCore(name: string, port: number): Promise<() => Promise<void>> {
    const thief = createServer();
    const take = () =>
      new Promise<boolean>((resolve) => {
        thief.once("error", () => resolve(false)).listen(port, "0.0.0.0", () => resolve(true));
      });
    await eventually(`the port of the core of ${name}`, 30, async () => {
      for (const core of coresIn(join(this.folder, `agent-${name}`))) process.kill(core, "SIGKILL");
      return (await take()) || undefined;
    });
    return () => new Promise((resolve) => thief.close(() => resolve()));
  }

  /**
   * Asks Doctor on the panel's own machine, as an operator there would; a finding that is not good is no failure of the
   * run.
   */
  async diagnose(otherwise: Record<string, string> = {}): Promise<void> {
    await run(program("panelctl"), ["doctor", "--plain"], "", { ...this.settings, ...otherwise }).catch(
      () => undefined,
    );
  }

  /** Compiles an agent that says to be of this version. */
  async buildAgent(version: string): Promise<string> {
    const file = join(this.folder, `panel-agent-${version}`);
    await run(
      "go",
      ["build", "-trimpath", "-ldflags", `-s -w -X main.version=${version}`, "-o", file, "./cmd/panel-agent"],
      "",
      { CGO_ENABLED: "0" },
      new URL("../../../", import.meta.url).pathname,
    );
    return file;
  }

  readonly panelProgram = program("panelctl");
  readonly agentProgram = program("panel-agent");

  /** One call of the API, for preparing what a journey does not show. */
  async call<T>(token: string, method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(this.url + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return (response.status === 204 ? undefined : await response.json()) as T;
  }

  async close(): Promise<void> {
    for (const child of [...this.agents.values(), this.panel, this.authority]) await stop(child);
    this.releases.close();
    this.messenger.close();
    this.names.close();
    this.accounts.close();
    this.geo.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The processes of the cores that an agent keeps in this folder. */
function coresIn(folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      const [, command = "", ...rest] = wordsOf(name);
      return command === "core" && rest.some((word) => word.includes(`${folder}/`));
    })
    .map(Number);
}

/** How a process was called; nothing of one that has ended. */
function wordsOf(process: string): string[] {
  try {
    return readFileSync(`/proc/${process}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}
