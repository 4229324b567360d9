import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { nodeNamesQuery } from "./api";

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

/** A node by its name, at its domains. */
export function NodeLink({ id, name }: { id: string; name: string }) {
  return (
    <Link to="/nodes/$id" params={{ id }} search={{ tab: "domains" }}>
      {name}
    </Link>
  );
}
