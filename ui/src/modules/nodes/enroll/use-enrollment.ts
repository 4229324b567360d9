import { useState } from "react";
import { serverNow } from "@/api/server-clock";
import { useBindAgent, useCreateNode, type NewNode } from "../shared/api";
import type { Enrollment } from "../shared/types";

export interface EnrollmentState {
  issued: Enrollment | undefined;
  /** When the command was shown; the wait for the agent counts from here. */
  since: number | undefined;
  describe: (node: NewNode) => void;
  /** Gives a new command for the same node; the one before stops working when it is used or expires. */
  rotate: () => void;
  busy: boolean;
  error: unknown;
}

/** A new node and the command that binds an agent to it. The token lives only in this page's memory. */
export function useEnrollment(id: string | undefined, onCreated: (id: string) => void): EnrollmentState {
  const [issued, setIssued] = useState<Enrollment>();
  const [since, setSince] = useState<number>();
  const create = useCreateNode();
  const bind = useBindAgent();
  const issue = (nodeId: string) =>
    bind.mutate(nodeId, {
      onSuccess: (enrollment) => {
        setIssued(enrollment);
        setSince(serverNow());
      },
    });
  const describe = (node: NewNode) =>
    create.mutate(node, {
      onSuccess: (made) => {
        onCreated(made.id);
        issue(made.id);
      },
    });
  return {
    issued,
    since,
    describe,
    rotate: () => id !== undefined && issue(id),
    busy: create.isPending || bind.isPending,
    error: create.error ?? bind.error,
  };
}
