import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import { freePort } from "./processes";

/** The domains of each category, those below them included. */
export type Lists = Record<string, string[]>;

/** A site that publishes geosite.dat with its checksum, as the projects of such lists do. */
export class GeoSource {
  address = "";
  lists: Lists = {
    "category-ads": ["ads.example", "banner.example"],
    ru: ["example.ru"],
    streaming: Array.from({ length: 300 }, (_, at) => `video-${at}.example`),
  };
  /** What is served in place of the file, such as a page. */
  instead: { type: string; body: string } | undefined;
  private server: Server | undefined;

  async serve(): Promise<void> {
    const port = await freePort();
    this.address = `http://127.0.0.1:${port}/geosite.dat`;
    this.server = createServer((request, response) => {
      const file = geosite(this.lists);
      if (request.url?.endsWith(".sha256sum")) {
        return response.end(`${createHash("sha256").update(file).digest("hex")}  geosite.dat\n`);
      }
      if (this.instead) return response.writeHead(200, { "Content-Type": this.instead.type }).end(this.instead.body);
      return response.writeHead(200, { "Content-Type": "application/octet-stream" }).end(file);
    }).listen(port, "127.0.0.1");
  }

  get checksum(): string {
    return `${this.address}.sha256sum`;
  }

  close(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }
}

const domainAndBelow = 2;

/** The file in the form that the core reads: a list of categories, each a name in capitals and its domains. */
function geosite(lists: Lists): Buffer {
  return Buffer.concat(
    Object.entries(lists).map(([category, domains]) =>
      field(
        1,
        Buffer.concat([
          field(1, Buffer.from(category.toUpperCase())),
          ...domains.map((domain) =>
            field(2, Buffer.concat([Buffer.from([0x08, domainAndBelow]), field(2, Buffer.from(domain))])),
          ),
        ]),
      ),
    ),
  );
}

/** A field of a protocol buffer that has a length. */
function field(number: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...varint(content.length)]), content]);
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}
