import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { freePort } from "./processes";

interface Written {
  id: string;
  type: string;
  name: string;
  content: string;
}

/** Stands in for an account at Cloudflare with one zone, and for an empty account at bunny.net. */
export class Accounts {
  address = "";
  readonly zone = "example.test";
  readonly cloudflareToken = "a-cloudflare-token-of-the-journey";
  readonly bunnyKey = "a-bunny-key-of-the-journey";
  readonly records: Written[] = [];
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

  /** What the panel is told of its account at bunny.net. */
  bunny(label: string): object {
    return { provider: "bunny", label, fields: { api_root: this.address, api_key: this.bunnyKey } };
  }

  close(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }

  private answer(request: IncomingMessage, response: ServerResponse, body: string): void {
    const give = (status: number, content: unknown) =>
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(content));
    const { pathname, searchParams } = new URL(request.url ?? "/", this.address);
    if (pathname === "/pullzone") {
      const known = request.headers.accesskey === this.bunnyKey;
      return void give(
        known ? 200 : 401,
        known ? { Items: [], TotalItems: 0, HasMoreItems: false } : { Message: "no" },
      );
    }
    if (request.headers.authorization !== `Bearer ${this.cloudflareToken}`)
      return void give(403, {
        success: false,
        errors: [{ code: 9109, message: "Invalid access token" }],
        result: null,
      });
    const page = (result: object[]) => ({
      success: true,
      errors: [],
      result,
      result_info: { page: 1, total_pages: 1 },
    });
    const name = searchParams.get("name");
    if (pathname === "/client/v4/zones")
      return void give(200, page(name && name !== this.zone ? [] : [{ id: "zone1", name: this.zone }]));
    if (pathname !== "/client/v4/zones/zone1/dns_records")
      return void give(404, { success: false, errors: [{ code: 7003, message: "No route" }], result: null });
    if (request.method === "GET") return void give(200, page(this.records.filter((one) => !name || one.name === name)));
    const made = { ...(JSON.parse(body) as Omit<Written, "id">), id: `record${this.records.length + 1}` };
    this.records.push(made);
    give(200, { success: true, errors: [], result: made });
  }
}
