import type { TFunction } from "i18next";
import type { ActEffect } from "@/components/dialog/act-dialog";
import type { Client } from "../api";

export type ClientAct = "enable" | "disable" | "extend" | "limits" | "tags" | "give_flow" | "reset_traffic" | "revoke";

/** Why a chosen client does not take part; undefined where it does. The word is one of the messages `act.left…`. */
export function whyLeft(act: ClientAct, client: Client, flowId?: string): string | undefined {
  if (client.state === "revoked") return "act.leftRevoked";
  switch (act) {
    case "enable":
      return client.enabled ? "act.leftEnabled" : undefined;
    case "disable":
      return client.enabled ? undefined : "act.leftDisabled";
    case "extend":
      return client.expires_at === null && client.lasts_days === null ? "act.leftNever" : undefined;
    case "give_flow":
      return client.flows.some((use) => use.flow_id === flowId) ? "act.leftHasFlow" : undefined;
    default:
      return undefined;
  }
}

/** What an act hits at this moment, as the list knows it. */
export function effectsOf(
  act: ClientAct,
  clients: readonly Client[],
  t: TFunction<"clients">,
  format: { bytes: (value: number) => string },
): ActEffect[] {
  const effects: ActEffect[] = [];
  const say = (key: string, glyph: ActEffect["glyph"], count: number, values: object = {}) => {
    if (count > 0) effects.push({ key, glyph, text: t(`effect.${key}`, { count, ...values }) });
  };
  const of = (chosen: (client: Client) => boolean) => clients.filter(chosen).length;
  if (act === "disable" || act === "revoke") {
    say(
      "online",
      "drifted",
      of((client) => client.online),
    );
    say("flows", "skipped", new Set(clients.flatMap(({ flows }) => flows.map((use) => use.flow_id))).size);
    if (act === "revoke")
      say(
        "subscriptions",
        "skipped",
        of((client) => client.has_public_link),
      );
  }
  if (act === "enable")
    say(
      "letIn",
      "in-sync",
      of((client) => client.flows.length > 0),
    );
  if (act === "extend")
    say(
      "again",
      "in-sync",
      of((client) => client.state === "expired"),
    );
  if (act === "limits")
    say(
      "opensAgain",
      "drifted",
      of((client) => client.online),
    );
  if (act === "reset_traffic") {
    const used = clients.reduce((sum, client) => sum + client.used.up + client.used.down, 0);
    say(
      "spentAgain",
      "in-sync",
      of((client) => client.state === "spent"),
    );
    say("counted", "no-data", clients.length, { used: format.bytes(used) });
  }
  if (effects.length === 0) effects.push({ key: "none", glyph: "no-data", text: t("effect.none") });
  return effects;
}
