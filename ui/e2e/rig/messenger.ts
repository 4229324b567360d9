import { createServer, type Server } from "node:http";
import { eventually, freePort } from "./processes";

/** One call of the bot API that the stand-in has taken. */
export interface Taken {
  method: string;
  token: string;
  chat: string;
  text: string;
}

/** Stands in for the messenger's bot API: it takes messages and documents, and refuses when it is told to. */
export class Messenger {
  address = "";
  readonly taken: Taken[] = [];
  private refusal: { status: number; description: string } | undefined;
  private server: Server | undefined;

  async serve(): Promise<void> {
    const port = await freePort();
    this.address = `http://127.0.0.1:${port}`;
    this.server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const [, token = "", method = ""] = /^\/bot([^/]+)\/(\w+)/.exec(request.url ?? "") ?? [];
        const { status, description } = this.refusal ?? { status: 200, description: "" };
        if (status === 200) this.taken.push({ method, token, ...read(Buffer.concat(parts).toString()) });
        const answer =
          status === 200
            ? { ok: true, result: { message_id: this.taken.length, username: "panel_bot" } }
            : { ok: false, error_code: status, description };
        response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(answer));
      });
    }).listen(port, "127.0.0.1");
  }

  /** From now on every call is refused with these words; with none, all are taken again. */
  refuses(status = 200, description = ""): void {
    this.refusal = status === 200 ? undefined : { status, description };
  }

  /** The first message whose text fits. */
  message(fits: RegExp, seconds = 90): Promise<Taken> {
    return eventually(`a message like ${fits.source}`, seconds, () => {
      const found = this.taken.find(({ text }) => fits.test(text));
      return found ? Promise.resolve(found) : Promise.reject(new Error(JSON.stringify(this.taken)));
    });
  }

  close(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }
}

/** Chat and text of a call, whose fields come as a form of several parts. */
function read(body: string): { chat: string; text: string } {
  const field = (name: string) => new RegExp(`name="${name}"[^]*?\\r\\n\\r\\n([^]*?)\\r\\n--`).exec(body)?.[1] ?? "";
  return { chat: field("chat_id"), text: field("text") };
}
