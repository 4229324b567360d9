/**
 * What the panel sends for a browser's passkey call: the options, under the name that the browser's call gives them.
 */
interface Ceremony<Options> {
  publicKey: Options;
}

/** Why a passkey could not be used here, apart from what the panel itself refuses. */
export class PasskeyTrouble extends Error {
  constructor(readonly why: "unsupported" | "cancelled" | "known") {
    super(why);
  }
}

/**
 * Whether this browser, at this address, can use passkeys. Browsers demand HTTPS or localhost, and a name rather than a
 * number.
 */
export function passkeysWork(host = window.location.hostname): boolean {
  return "PublicKeyCredential" in window && "parseCreationOptionsFromJSON" in PublicKeyCredential && !isAddress(host);
}

function isAddress(host: string): boolean {
  return host.startsWith("[") || /^\d+(\.\d+){3}$/.test(host);
}

/** Asks the browser to make a passkey and gives its answer for the panel. */
export async function makePasskey(options: unknown): Promise<unknown> {
  const { publicKey } = options as Ceremony<PublicKeyCredentialCreationOptionsJSON>;
  return answerOf(() =>
    navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) }),
  );
}

/** Asks the browser to show a passkey and gives its answer for the panel. */
export async function showPasskey(options: unknown): Promise<unknown> {
  const { publicKey } = options as Ceremony<PublicKeyCredentialRequestOptionsJSON>;
  return answerOf(() =>
    navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey) }),
  );
}

async function answerOf(ask: () => Promise<Credential | null>): Promise<unknown> {
  if (!passkeysWork()) throw new PasskeyTrouble("unsupported");
  try {
    return ((await ask()) as PublicKeyCredential).toJSON();
  } catch (error) {
    throw new PasskeyTrouble(
      error instanceof DOMException && error.name === "InvalidStateError" ? "known" : "cancelled",
    );
  }
}
