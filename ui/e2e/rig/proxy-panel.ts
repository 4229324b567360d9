import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { eventually, freePort, run, start, stop } from "./processes";

const repository = new URL("../../../", import.meta.url).pathname;

interface Told {
  url: string;
  direct: string;
  /** The scopes of the API tokens that exist there, by their names. */
  tokens: Record<string, string[]>;
}

/** The stand-in for a Remnawave, the same that the tests of the module use. */
export class ProxyPanel {
  /** Through its reverse proxy, and to the program itself. */
  url = "";
  direct = "";
  private control = "";
  private server: ChildProcess | undefined;

  constructor(private readonly folder: string) {}

  async serve(): Promise<void> {
    const program = join(this.folder, "remnawave");
    const build = ["test", "-c", "-trimpath", "-o", program, "./ui/e2e/rig/remnawave"];
    await run("go", build, "", { CGO_ENABLED: "0" }, repository);
    const address = `127.0.0.1:${await freePort()}`;
    this.control = `http://${address}`;
    const log = join(this.folder, "remnawave.log");
    this.server = start(program, ["-test.timeout=0"], { PANEL_TEST_REMNAWAVE_CONTROL: address }, log);
    Object.assign(this, await eventually("a proxy panel that answers", 30, () => this.told()));
  }

  async told(): Promise<Told> {
    return (await (await fetch(this.control)).json()) as Told;
  }

  /** Makes an API token that is good for these days. */
  async token(days: number, scopes: string[]): Promise<string> {
    const query = scopes.map((scope) => `&scope=${encodeURIComponent(scope)}`).join("");
    const answer = await this.tell(`/token?days=${days}${query}`);
    return ((await answer.json()) as { token: string }).token;
  }

  /** Lets it say that it is another version. */
  async be(version: string): Promise<void> {
    await this.tell(`/version?is=${version}`);
  }

  /** Puts a gate in front, which lets nobody in without this header; an empty name takes it away. */
  async gate(header: string): Promise<void> {
    await this.tell(`/gate?header=${header}`);
  }

  private async tell(path: string): Promise<Response> {
    const answer = await fetch(this.control + path, { method: "POST" });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    return answer;
  }

  close(): Promise<void> {
    return stop(this.server);
  }
}
