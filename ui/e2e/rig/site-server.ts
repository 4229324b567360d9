import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join, normalize } from "node:path";
import { freePort } from "./processes";

const kinds: Record<string, string> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  xml: "application/atom+xml",
  ics: "text/calendar",
  svg: "image/svg+xml",
};

/** A web server that serves a folder and knows nothing of the panel. */
export class SiteServer {
  address = "";
  private server: Server | undefined;

  constructor(private readonly folder: string) {}

  async serve(): Promise<void> {
    const port = await freePort();
    this.server = createServer((request, response) => {
      const path = normalize(decodeURIComponent((request.url ?? "/").split("?")[0]!));
      const file = join(this.folder, path.endsWith("/") ? `${path}index.html` : path);
      readFile(file).then(
        (content) => {
          response.setHeader("Content-Type", kinds[file.split(".").at(-1)!] ?? "application/octet-stream");
          response.end(content);
        },
        () => {
          response.statusCode = 404;
          response.end();
        },
      );
    });
    await new Promise<void>((resolve) => this.server!.listen(port, "127.0.0.1", resolve));
    this.address = `http://127.0.0.1:${port}`;
  }

  close(): void {
    this.server?.close();
  }
}
