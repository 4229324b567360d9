import type { Security } from "./api";

export type Warning = "unreadable" | "proxy" | "http" | "noAddress" | "generated" | "resealing" | "previous";

/** Browsers treat these addresses as safe: nothing leaves the machine. */
const onThisMachine = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** What an operator should look at, the worst first. */
export function warningsOf(security: Security): Warning[] {
  const { master_key: key, public_url: address, trusted_proxies: proxies } = security;
  const found: [Warning, boolean][] = [
    ["unreadable", !key.readable],
    ["proxy", proxies.ignored],
    ["http", address.given && !address.https && !onThisMachine.test(address.origin)],
    ["noAddress", !address.given],
    ["generated", key.source === "file"],
    ["resealing", key.previous_given && key.previous_secrets > 0],
    ["previous", key.previous_given && key.previous_secrets === 0],
  ];
  return found.filter(([, holds]) => holds).map(([warning]) => warning);
}
