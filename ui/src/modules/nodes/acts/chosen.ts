import type { BulkAct } from "../shared/api";
import type { Node } from "../shared/types";

/** Why a chosen node does not take part; undefined where it does. The word is one of the messages `act.left…`. */
export function whyLeft(act: BulkAct, node: Node): string | undefined {
  switch (act) {
    case "maintenance_on":
      return node.state === "maintenance" ? "act.leftMaintenance" : undefined;
    case "maintenance_off":
      return node.state === "maintenance" ? undefined : "act.leftNoMaintenance";
    case "disable":
      return node.state === "disabled" ? "act.leftDisabled" : undefined;
    case "enable":
      return node.state === "disabled" ? undefined : "act.leftEnabled";
    case "restart_core":
    case "update_agent":
      return node.agent.connected ? undefined : "act.leftOffline";
    default:
      return undefined;
  }
}
