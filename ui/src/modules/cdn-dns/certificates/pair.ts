export interface Pair {
  chain: string;
  key: string;
}

/** What the panel takes of each part, in characters. */
const most: Record<keyof Pair, number> = { chain: 65_536, key: 16_384 };

export type PairFault = "missing" | "tooLong" | "noCertificate" | "noKey" | "sealed" | "keyInChain";

/** What is wrong with a part before it is sent, so that no key goes where it does not belong. */
export function pairFault(part: keyof Pair, text: string): PairFault | undefined {
  if (!text.trim()) return "missing";
  if (text.length > most[part]) return "tooLong";
  if (part === "chain") {
    if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) return "keyInChain";
    return text.includes("-----BEGIN CERTIFICATE-----") ? undefined : "noCertificate";
  }
  if (/BEGIN ENCRYPTED PRIVATE KEY|Proc-Type: 4,ENCRYPTED/.test(text)) return "sealed";
  return /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text) ? undefined : "noKey";
}

/** The panel's sentences about a pair that cannot be used; it says them in English. */
const sentences = {
  "the certificate and the key do not belong together, or cannot be read": "noPair",
  "each certificate of the chain must be signed by the next one": "chain",
  "the certificate is not for these names": "names",
  "the certificate is not valid now": "expired",
} as const;

/** Which of these sentences the panel said, for saying it in the language of the page. */
export function refusedPair(said: string): (typeof sentences)[keyof typeof sentences] | undefined {
  return (sentences as Record<string, (typeof sentences)[keyof typeof sentences]>)[said];
}
