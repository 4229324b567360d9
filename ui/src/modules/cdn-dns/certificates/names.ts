/** The names of a certificate on one line: the first, and how many more. */
export function shortNames(names: readonly string[]): { first: string; more: number } {
  return { first: names[0] ?? "", more: Math.max(0, names.length - 1) };
}

/** Whether a certificate is valid for a host name, by the name itself or by a wildcard one level above. */
export function covers(names: readonly string[], hostname: string): boolean {
  return names.includes(hostname) || names.includes(`*${hostname.slice(hostname.indexOf("."))}`);
}

/** What to look for in host names to find all that the names cover. */
export function searched(names: readonly string[]): string[] {
  const bare = [...new Set(names.map((name) => name.replace(/^\*\./, "")))];
  return bare.filter((name) => !bare.some((other) => other !== name && name.endsWith(other)));
}

const letsEncrypt: Record<string, "letsencrypt" | "staging"> = {
  "acme-v02.api.letsencrypt.org": "letsencrypt",
  "acme-staging-v02.api.letsencrypt.org": "staging",
};

/** An authority by its directory: one with a name, or its host. */
export function authorityOf(directory: string): { known?: "letsencrypt" | "staging"; host: string } {
  const host = URL.canParse(directory) ? new URL(directory).host : directory;
  return { known: letsEncrypt[host], host };
}
