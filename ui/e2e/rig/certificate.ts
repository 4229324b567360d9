import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./processes";

export interface CertificateFiles {
  chain: string;
  key: string;
  chainFile: string;
  keyFile: string;
}

/**
 * A certificate that signs itself for these names, with its key, made by the program that comes with Go. It is valid for
 * so many days, and was issued so many days ago.
 */
export async function makeCertificate(
  folder: string,
  names: string[],
  days: number,
  ago = 0,
): Promise<CertificateFiles> {
  mkdirSync(folder, { recursive: true });
  const maker = join(await run("go", ["env", "GOROOT"]), "src/crypto/tls/generate_cert.go");
  await run(
    "go",
    ["run", maker, "-ecdsa-curve", "P256", "-host", names.join(","), "-duration", `${days * 24}h`, ...issued(ago)],
    "",
    {},
    folder,
  );
  const [chainFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  return { chainFile, keyFile, chain: readFileSync(chainFile, "utf8"), key: readFileSync(keyFile, "utf8") };
}

/** The argument for a moment in the past, as the program writes moments: Jan 1 15:04:05 2011. */
function issued(ago: number): string[] {
  if (ago === 0) return [];
  const [, day, month, year, time] = new Date(Date.now() - ago * 86_400_000).toUTCString().split(" ");
  return ["-start-date", `${month} ${Number(day)} ${time} ${year}`];
}
