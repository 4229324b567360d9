import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { useWriteBlock } from "@/api/access";
import { useSearchState } from "@/components/screen/use-search";
import { AddNodeView } from "./add-node-view";
import { nodeQuery } from "../shared/api";
import { useEnrollment } from "./use-enrollment";

const search = z.object({ id: z.string().optional().catch(undefined) });

/** Describe, run one command, watch it arrive. The node is in the address, so a reload goes on where it was. */
export default function AddNodePage() {
  const { t } = useTranslation("nodes");
  const [{ id }] = useSearchState(search);
  const navigate = useNavigate();
  const node = useQuery({
    ...nodeQuery(id ?? ""),
    enabled: id !== undefined,
    refetchInterval: (query) => (query.state.data?.metrics ? false : 2000),
  });
  // What was typed is stored then, so nobody is asked about it.
  const goOn = (created: string) =>
    void navigate({ to: "/nodes/new", search: { id: created }, replace: true, ignoreBlocker: true });
  const enrollment = useEnrollment(id, goOn);
  const block = useWriteBlock({ needs: "nodes.edit" });
  return (
    <AddNodeView
      title={t("add")}
      block={block}
      node={node.data}
      enrollment={enrollment}
      onCancel={() => void navigate({ to: "/nodes" })}
      onDone={() => void navigate({ to: "/nodes/$id", params: { id: id! } })}
    />
  );
}
