import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";
import {
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import { basename, join } from "node:path";
import { freePort } from "./processes";

const platform = "linux/amd64";

/**
 * A publisher of signed releases: a folder for agents that the panel serves, and a server where the panel looks for its
 * own.
 */
export class Releases {
  readonly folder: string;
  readonly publicKey: string;
  address = "";
  private readonly key: KeyObject;
  private readonly keyId = randomBytes(8);
  private readonly served: string;
  private server: Server | undefined;

  constructor(place: string) {
    [this.folder, this.served] = [join(place, "agents"), join(place, "served")];
    for (const folder of [this.folder, this.served]) mkdirSync(folder, { recursive: true });
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    this.key = privateKey;
    const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
    this.publicKey = Buffer.concat([Buffer.from("Ed"), this.keyId, raw]).toString("base64");
  }

  async serve(): Promise<void> {
    const port = await freePort();
    this.address = `http://127.0.0.1:${port}/manifest.json`;
    this.server = createServer((request, response) => {
      const file = join(this.served, basename(request.url ?? ""));
      if (!existsSync(file)) return void response.writeHead(404).end();
      createReadStream(file).pipe(response.writeHead(200));
    }).listen(port, "127.0.0.1");
  }

  close(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }

  /** Puts a signed agent where the panel finds it. */
  publishAgent(version: string, executable: string, notes = ""): void {
    this.publish(this.folder, version, "panel-agent", executable, notes);
  }

  /** Offers a release of the panel on the server. */
  publishPanel(version: string, executable: string, notes = ""): void {
    this.publish(this.served, version, "panelctl", executable, notes);
  }

  private publish(folder: string, version: string, program: string, executable: string, notes: string): void {
    const file = join(folder, `${program}-linux-amd64`);
    copyFileSync(executable, `${file}.new`);
    renameSync(`${file}.new`, file);
    const artefact = {
      url: basename(file),
      sha256: createHash("sha256").update(readFileSync(file)).digest("hex"),
      size: statSync(file).size,
    };
    const manifest = JSON.stringify({
      schema: "panel.release/v1",
      channel: "stable",
      version,
      released_at: "2026-03-09T00:00:00Z",
      notes,
      breaking: false,
      artefacts: { [program]: { [platform]: artefact } },
    });
    writeFileSync(join(folder, "manifest.json"), manifest);
    writeFileSync(join(folder, "manifest.json.minisig"), this.signature(manifest));
  }

  /** The form of the minisign program: what is signed is the BLAKE2b sum. */
  private signature(text: string): string {
    const signature = sign(null, createHash("blake2b512").update(text).digest(), this.key);
    const comment = "panel.release/v1";
    const whole = sign(null, Buffer.concat([signature, Buffer.from(comment)]), this.key);
    return [
      "untrusted comment: signature of a release",
      Buffer.concat([Buffer.from("ED"), this.keyId, signature]).toString("base64"),
      `trusted comment: ${comment}`,
      whole.toString("base64"),
      "",
    ].join("\n");
  }
}
