import { changeCase, type CaseLine } from "../cases/api";
import { doAct, type ActKind } from "./api";

/** What can be done about a client, the gentlest first. */
export const actKinds = ["warn", "limit", "drop_sessions", "block_ips", "revoke"] as const satisfies ActKind[];

/** What can be done about a user of an external panel, who has no limits and no flows here. */
const foreignKinds = ["warn", "drop_sessions", "block_ips", "disable_user"] as const satisfies ActKind[];

/** What a person can do with a case: close it, leave its user alone for a while, or act on the user. */
export type CaseAct = "dismiss" | "reopen" | "mute" | ActKind;

/** What is done to many cases at once. Addresses are chosen case by case. */
export const actsTogether: CaseAct[] = ["dismiss", "mute", "warn", "limit", "drop_sessions", "revoke"];

/** What can be done with a case as it stands. */
export function actsOn({ state, user_ref: ref }: Pick<CaseLine, "state" | "user_ref">): CaseAct[] {
  const onUser = ref.startsWith("p:") ? foreignKinds : actKinds;
  if (state === "open") return ["dismiss", "mute", ...onUser];
  if (state === "actioned") return ["mute", ...onUser];
  return ["reopen", "mute"];
}

const suggestions: Partial<Record<CaseLine["recommended"], ActKind>> = {
  warn: "warn",
  soft_block: "limit",
  temp_block: "block_ips",
  hard_block: "revoke",
};

/** The act that the score suggests; nothing where it only says to keep an eye on the user. */
export const suggestedAct = (step: CaseLine["recommended"]): ActKind | undefined => suggestions[step];

/** Acts on a user, in contrast to those on the case alone. */
export const isOnUser = (act: CaseAct): act is ActKind => act !== "dismiss" && act !== "reopen" && act !== "mute";

/** How long an act holds, in minutes; the first is proposed. Dropped sessions and warnings are over at once. */
export const durations: Partial<Record<CaseAct, readonly number[]>> = {
  mute: [10_080, 1_440, 43_200],
  limit: [1_440, 60, 360, 10_080],
  block_ips: [60, 15, 360, 1_440, 10_080],
  revoke: [0, 1_440, 10_080],
  disable_user: [0, 1_440, 10_080],
};

export interface Order {
  act: CaseAct;
  /** How long it holds; 0: until somebody undoes it. */
  minutes: number;
  reason: string;
  networks: readonly string[];
  limits: Limits;
}

/** What a limit leaves to a client on each node: Mbit/s in each direction, and addresses at once. */
export interface Limits {
  speed_mbps: number;
  addresses: number;
}

export const usualLimits: Limits = { speed_mbps: 2, addresses: 1 };

/** Does an act with one case. The key lets the panel do it once, however often the request is sent. */
export function carryOut(one: CaseLine, order: Order, key: string): Promise<unknown> {
  const { act, minutes } = order;
  const reason = order.reason.trim();
  const note = reason ? { note: reason } : {};
  if (act === "dismiss") return changeCase(one, { state: "dismissed", ...note });
  if (act === "reopen") return changeCase(one, { state: "open", ...note });
  if (act === "mute") return changeCase(one, { whitelist_until: inMinutes(minutes), ...note });
  const more = act === "block_ips" ? { networks: [...order.networks] } : act === "limit" ? order.limits : {};
  return doAct(one.id, { kind: act, reason, ...(minutes > 0 && { minutes }), ...more }, `${key}-${one.id}`);
}

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
