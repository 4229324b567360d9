import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { freePort } from "./processes";

const operators = ["beeline|цфо|on", "beeline|пфо|on", "megafon|цфо|off", "mts|пфо|on", "mts|цфо|on", "mts|уфо|on"];

interface Asked {
  targets?: string[];
  operators?: string[];
}

/** A stand-in for the paid service that looks at addresses from mobile networks: it counts what it is paid. */
export class MobileChecker {
  address = "";
  readonly key = "bsk_live_canary-51c0ffee";
  /** Operators from which nothing is reached. */
  down: string[] = [];
  /** What was paid, by the key of the request. */
  readonly charged = new Map<string, number>();
  private readonly answers = new Map<string, unknown>();
  private server: Server | undefined;

  async serve(): Promise<void> {
    const port = await freePort();
    this.address = `http://127.0.0.1:${port}`;
    this.server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => this.answer(request, response, Buffer.concat(parts).toString()));
    }).listen(port, "127.0.0.1");
  }

  private answer(request: IncomingMessage, response: ServerResponse, body: string): void {
    const tell = (status: number, value: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (request.headers.authorization !== `Bearer ${this.key}`)
      return void tell(401, { error: { code: "unauthenticated", message: "no such key", details: {} } });
    const asked = (body === "" ? {} : JSON.parse(body)) as Asked;
    switch (`${request.method} ${request.url}`) {
      case "GET /account":
        return void tell(200, { balance_total: 250_000, tier: "gold", tier_expires_at: "2099-03-01T00:00:00Z" });
      case "GET /operators":
        return void tell(200, { units: operators.map((op_key) => ({ op_key, probeable: true })) });
      case "POST /probe/preview":
        return void tell(200, { cost_credits: 240, selected_units: operators.length, n_targets: 1 });
      case "POST /probe":
        return void tell(200, this.probe(String(request.headers["idempotency-key"]), asked));
    }
    return void tell(404, { error: { code: "not_found", message: "no such operation", details: {} } });
  }

  /** The same key gets the same answer, and is paid for once. */
  private probe(key: string, { targets = [] }: Asked): unknown {
    const known = this.answers.get(key);
    if (known) return known;
    this.charged.set(key, 240);
    const part = (up: boolean) => ({ ok: up, latency_ms: 46, ...(up ? {} : { error: "timed out" }) });
    const legs = Object.fromEntries(
      operators.map((op_key) => {
        const up = !this.down.includes(op_key);
        return [op_key, { ok: true, channel_state: "DPI_ON", icmp: part(up), tcp: part(up), sni: [{ ok: up }] }];
      }),
    );
    const result = {
      by_target: Object.fromEntries(targets.map((target) => [target, { by_operator: legs }])),
      cost_credits: 240,
      skipped_dpi_off: ["yota|уфо|on"],
    };
    this.answers.set(key, result);
    return result;
  }

  close(): void {
    this.server?.close();
  }
}
