import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { compareDrawings, type ObjectChange } from "../drawing/compare";
import { useBlockName, usePlaces } from "../editor/editor-context";
import { findBlock, matchLine, type Drawing } from "../drawing/drawing";
import { domainQuery, type NodeDomain } from "../shared/api";
import classes from "./compare.module.css";

/** Two drawings field by field, grouped by block. */
export function CompareTable({ a, b, nameA, nameB }: { a: Drawing; b: Drawing; nameA: string; nameB: string }) {
  const { t } = useTranslation("flows");
  const changes = useMemo(() => compareDrawings(a, b), [a, b]);
  const nameOf = useObjectName(a, b);
  const valueOf = useValue(a, b);
  if (changes.length === 0) return <p className={classes.same}>{t("compare.same")}</p>;
  return (
    // A region that scrolls must be reachable by keyboard.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={classes.scroll} role="region" aria-label={t("compare.label")} tabIndex={0}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{t("compare.field")}</th>
            <th scope="col">{nameA}</th>
            <th scope="col">{nameB}</th>
          </tr>
        </thead>
        {changes.map((change) => (
          <tbody key={change.key}>
            <tr className={classes.group}>
              <th scope="rowgroup" colSpan={3}>
                {nameOf(change)}
              </th>
            </tr>
            {change.fields.map((field) => (
              <tr key={field.field}>
                <td>{field.field}</td>
                <td data-side={field.a === undefined ? undefined : "a"}>
                  {field.a === undefined
                    ? t(change.op === "added" ? "compare.absent" : "compare.unset")
                    : valueOf(field.field, field.a)}
                </td>
                <td data-side={field.b === undefined ? undefined : "b"}>
                  {field.b === undefined
                    ? t(change.op === "removed" ? "compare.removed" : "compare.unset")
                    : valueOf(field.field, field.b)}
                </td>
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

export function useCompareCounts(a: Drawing | undefined, b: Drawing | undefined): string {
  const { t } = useTranslation("flows");
  return useMemo(() => {
    if (!a || !b) return "";
    const changes = compareDrawings(a, b);
    const of = (op: ObjectChange["op"]) => changes.filter((change) => change.op === op).length;
    return (["added", "changed", "removed"] as const)
      .filter((op) => of(op) > 0)
      .map((op) => t(`compare.${op}Count`, { count: of(op) }))
      .join(", ");
  }, [a, b, t]);
}

function useObjectName(a: Drawing, b: Drawing) {
  const { t } = useTranslation("flows");
  const nameOf = useBlockName();
  const keyName = (key: string) => nameOf(findBlock(b, key) ?? findBlock(a, key)) || key;
  return (change: ObjectChange) => {
    if (change.block) return `${nameOf(change.block)}, ${t(`kind.${change.block.kind}`).toLocaleLowerCase()}`;
    const { edge } = change;
    const condition = matchLine(edge!.match, (count) => t("match.more", { count }));
    return `${keyName(edge!.from)} → ${keyName(edge!.to)}${condition ? `: ${condition}` : ""}`;
  };
}

const hostsOf = (results: { data: NodeDomain | undefined }[]): Record<string, string> =>
  Object.fromEntries(results.flatMap(({ data }) => (data ? [[data.id, data.hostname] as const] : [])));

// Ids say nothing to a reader; names of servers and blocks do.
function useValue(a: Drawing, b: Drawing) {
  const { servers } = usePlaces();
  const ids = [...a.nodes, ...b.nodes].flatMap((block) => block.node_domain_id || []);
  const hosts = useQueries({ queries: [...new Set(ids)].map(domainQuery), combine: hostsOf });
  const nameOf = useBlockName();
  return (field: string, value: string) => {
    if (field === "node_id") return servers.get(value)?.name ?? value;
    if (field === "node_domain_id") return hosts[value] ?? value;
    if (field === "to") return nameOf(findBlock(b, value) ?? findBlock(a, value)) || value;
    return value;
  };
}
