import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import { eventually, freePort } from "./processes";

/** A message that the receiver has believed. */
export interface Received {
  id: string;
  type: string;
  data: Record<string, unknown>;
}

/** A program that takes webhooks, and believes only those that are signed with its key and of this moment. */
export class Receiver {
  address = "";
  readonly key = "a key of sixteen letters or more";
  readonly received: Received[] = [];
  private status = 204;
  private server: Server | undefined;

  async serve(): Promise<void> {
    const port = await freePort();
    this.address = `http://127.0.0.1:${port}/hook`;
    this.server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const body = Buffer.concat(parts).toString();
        const header = (name: string) => String(request.headers[`webhook-${name}`]);
        const [id, stamp] = [header("id"), header("timestamp")];
        const signature = createHmac("sha256", this.key).update(`${id}.${stamp}.${body}`).digest("base64");
        const fresh = Math.abs(Date.now() / 1000 - Number(stamp)) < 300;
        if (header("signature") !== `v1,${signature}` || !fresh) return response.writeHead(401).end();
        if (this.status < 400) this.received.push({ id, ...(JSON.parse(body) as Omit<Received, "id">) });
        return response.writeHead(this.status).end();
      });
    }).listen(port, "127.0.0.1");
  }

  answers(status: number): void {
    this.status = status;
  }

  /** The first message of a kind. */
  message(type: string, seconds = 90): Promise<Received> {
    return eventually(`a message about ${type}`, seconds, () =>
      Promise.resolve(this.received.find((one) => one.type === type)),
    );
  }

  close(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }
}
