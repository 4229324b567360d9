// Writes .br and .gz beside every built text file, so that the panel never compresses while it serves.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const dist = new URL("../dist/", import.meta.url).pathname;
const compressible = /\.(js|css|svg|json)$/;

for (const name of readdirSync(dist, { recursive: true })) {
  if (!compressible.test(name)) continue;
  const body = readFileSync(join(dist, name));
  if (body.length < 1024) continue;
  writeFileSync(join(dist, `${name}.gz`), gzipSync(body, { level: 9 }));
  writeFileSync(
    join(dist, `${name}.br`),
    brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  );
}
