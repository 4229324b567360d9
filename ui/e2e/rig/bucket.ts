import type { ChildProcess } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { eventually, freePort, run, start, stop } from "./processes";

const repository = new URL("../../../", import.meta.url).pathname;

/** A real S3 server with one bucket, whose objects are files of a folder. */
export class Bucket {
  readonly name = "backups";
  readonly accessKey = "panel";
  readonly secretKey = "a secret of the journey";
  address = "";
  private server: ChildProcess | undefined;

  constructor(private readonly folder: string) {}

  async serve(): Promise<void> {
    const program = await run(join(repository, "scripts/versitygw.sh"), []);
    const port = await freePort();
    mkdirSync(join(this.folder, this.name), { recursive: true });
    this.address = `http://127.0.0.1:${port}`;
    this.server = start(
      program,
      ["--port", `127.0.0.1:${port}`, "posix", this.folder],
      { ROOT_ACCESS_KEY: this.accessKey, ROOT_SECRET_KEY: this.secretKey },
      `${this.folder}.log`,
    );
    await eventually("an S3 server that answers", 60, async () =>
      (await fetch(this.address)).status > 0 ? true : undefined,
    );
  }

  /** Ends the server: the bucket cannot be reached any more. */
  close(): Promise<void> {
    return stop(this.server);
  }
}
