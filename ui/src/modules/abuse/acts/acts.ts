import { changeCase, type CaseLine } from "../cases/api";

/** What a person can do with a case: close it, open it again, or leave its user alone for a while. */
export type CaseAct = "dismiss" | "reopen" | "mute";

/** What is done to many cases at once. */
export const actsTogether: CaseAct[] = ["dismiss", "mute"];

/** What can be done with a case as it stands. */
export function actsOn({ state }: Pick<CaseLine, "state">): CaseAct[] {
  if (state === "open") return ["dismiss", "mute"];
  if (state === "actioned") return ["mute"];
  return ["reopen", "mute"];
}

/** How long an act holds, in minutes; the first is proposed. */
export const durations: Partial<Record<CaseAct, readonly number[]>> = { mute: [10_080, 1_440, 43_200] };

export interface Order {
  act: CaseAct;
  minutes: number;
  note: string;
}

/** Does an act with one case. */
export function carryOut(one: CaseLine, { act, minutes, note }: Order): Promise<unknown> {
  const noted = note.trim() ? { note: note.trim() } : {};
  if (act === "dismiss") return changeCase(one, { state: "dismissed", ...noted });
  if (act === "reopen") return changeCase(one, { state: "open", ...noted });
  return changeCase(one, { whitelist_until: inMinutes(minutes), ...noted });
}

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
