import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import classes from "../cdn-dns.module.css";
import { nodeNamesQuery, type Binding } from "./api";

const together = 100;

/** How nodes are called: by their names, and until those are known by the first letters of their ids. */
export function useNodeNames(nodeIds: readonly string[]): (id: string) => string {
  const ids = [...new Set(nodeIds)];
  // Those that are on the page already stay in the question that they are in while the list grows.
  const questions = Array.from({ length: Math.ceil(ids.length / together) }, (_, at) =>
    nodeNamesQuery(ids.slice(at * together, (at + 1) * together)),
  );
  const answers = useQueries({ queries: questions });
  return (id) => answers.map(({ data }) => data?.get(id)).find(Boolean) ?? id.slice(0, 8);
}

/** The nodes that a host name has to do with. */
export const nodesOf = ({ node_id: id, moving_to: next }: Binding): string[] => (next ? [id, next] : [id]);

/** The node that a host name leads to, and the one that it moves to with the next apply. */
export function LeadsTo({ binding, nameOf }: { binding: Binding; nameOf: (id: string) => string }) {
  const { t } = useTranslation("cdn-dns");
  const { node_id: id, moving_to: next } = binding;
  return (
    <>
      <NodeLink id={id} name={nameOf(id)} />
      {next && (
        <span className={classes.moves}>
          {t("binding.movesTo")} <NodeLink id={next} name={nameOf(next)} />
        </span>
      )}
    </>
  );
}

/** A node by its name, at its domains. */
function NodeLink({ id, name }: { id: string; name: string }) {
  return (
    <Link to="/nodes/$id" params={{ id }} search={{ tab: "domains" }}>
      {name}
    </Link>
  );
}
