import type { Conflict } from "../../shared/api";
import type { Finding } from "./problems";

/** A taken port as a finding at the field that asks for it. */
export function conflictProblems(conflicts: readonly Conflict[]): Finding[] {
  return conflicts.map((conflict) => ({
    code: "port_conflict",
    path: conflict.path,
    message: `port ${conflict.port}/${conflict.l4} is taken by ${conflict.with.process ?? conflict.with.listener ?? "another flow"}`,
    node: conflict.node_id,
  }));
}
