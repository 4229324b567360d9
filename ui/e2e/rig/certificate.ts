import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./processes";

export interface CertificateFiles {
  chain: string;
  key: string;
  chainFile: string;
  keyFile: string;
}

/** A certificate that signs itself for these names, with its key, made by the program that comes with Go. */
export async function makeCertificate(folder: string, names: string[], days: number): Promise<CertificateFiles> {
  mkdirSync(folder, { recursive: true });
  const maker = join(await run("go", ["env", "GOROOT"]), "src/crypto/tls/generate_cert.go");
  await run(
    "go",
    ["run", maker, "-ecdsa-curve", "P256", "-host", names.join(","), "-duration", `${days * 24}h`],
    "",
    {},
    folder,
  );
  const [chainFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  return { chainFile, keyFile, chain: readFileSync(chainFile, "utf8"), key: readFileSync(keyFile, "utf8") };
}
