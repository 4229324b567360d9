import { createServer, type Server, type ServerResponse } from "node:http";
import { freePort } from "./processes";

/** What the stand-in was sent with one request. */
export interface Asked {
  authorization: string;
  body: string;
}

/** Stands in for a language model with the interface of OpenAI: it asks for a tool first and then answers in words. */
export class LanguageModel {
  address = "";
  readonly asked: Asked[] = [];
  private server: Server | undefined;

  constructor(
    private readonly tool: string,
    private readonly words: readonly string[],
  ) {}

  async serve(): Promise<void> {
    const port = await freePort();
    this.address = `http://127.0.0.1:${port}/v1`;
    this.server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const body = Buffer.concat(parts).toString();
        this.asked.push({ authorization: request.headers.authorization ?? "", body });
        response.writeHead(200, { "Content-Type": "text/event-stream" });
        void this.answer(response, body.includes('"role":"tool"'));
      });
    }).listen(port, "127.0.0.1");
  }

  close(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }

  private async answer(response: ServerResponse, told: boolean): Promise<void> {
    const call = { index: 0, id: "call-1", type: "function", function: { name: this.tool, arguments: "{}" } };
    const deltas = told ? this.words.map((content) => ({ content })) : [{ tool_calls: [call] }];
    for (const delta of deltas) {
      response.write(`data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    response.write(`data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: "stop" }] })}\n\n`);
    response.end("data: [DONE]\n\n");
  }
}
