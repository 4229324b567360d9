import { useQueries } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { FieldChange, ObjectChange } from "../drawing/compare";
import { findBlock, matchLine, type BlockKind, type Drawing } from "../drawing/drawing";
import { useBlockFacts } from "../editor/block-facts";
import { useBlockName, usePlaces } from "../editor/editor-context";
import { fieldName } from "../editor/problems/problems";
import { domainQuery, type NodeDomain } from "../shared/api";
import { findVersion, useCustomPlans, versionName } from "../shared/custom-plans";
import { usePools } from "../shared/pool-select";

const lists = new Set(["domain", "geosite", "geoip", "ip", "protocol", "server_names", "sets", "short_ids"]);

/** A difference between two drawings as a reader says it: what it is about, and what becomes of it. */
export function useSentences(a: Drawing, b: Drawing) {
  const { t, i18n } = useTranslation("flows");
  const nameOf = useBlockName();
  const facts = useBlockFacts();
  const valueOf = useValue(a, b);
  const keyName = (key: string) => nameOf(findBlock(b, key) ?? findBlock(a, key)) || key;
  const word = (path: string) => {
    const name = fieldName(path);
    if (path === "private") return t("private.title");
    const groups = path.startsWith("match.") ? ["match", "field"] : ["field", "match"];
    const key = groups.map((group) => `${group}.${name}`).find((one) => i18n.exists(one, { ns: "flows" }));
    return key ? t(key) : name.replace(/_/g, " ");
  };

  const title = ({ block, edge, op }: ObjectChange) => {
    if (block) return t(`compare.block.${op}`, { name: called(nameOf(block), t(`kind.${block.kind}`)) });
    const condition = matchLine(edge!.match, (count) => t("match.more", { count })) || t("ways.else");
    return t(`compare.way.${op}`, { from: keyName(edge!.from), to: keyName(edge!.to), condition });
  };

  const ofField = ({ field, a: before, b: after }: FieldChange) => {
    if (field === "rules") return t("compare.order", { order: after });
    const name = word(field);
    if (before !== undefined && after !== undefined && isList(field)) return ofList(name, before, after);
    const from = before === undefined ? undefined : valueOf(field, before);
    const to = after === undefined ? undefined : valueOf(field, after);
    if (from === undefined) return t("compare.set", { field: name, to });
    return to === undefined
      ? t("compare.cleared", { field: name, from })
      : t("compare.became", { field: name, from, to });
  };
  const ofList = (field: string, before: string, after: string) => {
    const [left, right] = [before.split(", "), after.split(", ")];
    const came = right.filter((item) => !left.includes(item)).join(", ");
    const gone = left.filter((item) => !right.includes(item)).join(", ");
    const said = [came && t("compare.came", { items: came }), gone && t("compare.gone", { items: gone })];
    return t("compare.list", { field, said: said.filter(Boolean).join(", ") || t("compare.reordered") });
  };

  const sentences = (change: ObjectChange): string[] => {
    if (change.op === "changed") return change.fields.map(ofField);
    return change.block && change.op === "added" ? [facts(change.block)].filter(Boolean) : [];
  };
  return { title, sentences };
}

/** A name that does not say what it is the name of is followed by that. */
const called = (name: string, kind: string) =>
  name.toLocaleLowerCase().includes(kind.toLocaleLowerCase()) ? name : `${name}, ${kind.toLocaleLowerCase()}`;

const isList = (field: string) => lists.has(fieldName(field)) && !field.endsWith("listener.protocol");

const hostsOf = (results: { data: NodeDomain | undefined }[]): Record<string, string> =>
  Object.fromEntries(results.flatMap(({ data }) => (data ? [[data.id, data.hostname] as const] : [])));

// Ids say nothing to a reader; names of servers and blocks do.
function useValue(a: Drawing, b: Drawing) {
  const { t } = useTranslation("flows");
  const { servers } = usePlaces();
  const ids = [...a.nodes, ...b.nodes].flatMap((block) => block.node_domain_id || []);
  const hosts = useQueries({ queries: [...new Set(ids)].map(domainQuery), combine: hostsOf });
  const nameOf = useBlockName();
  const has = (kind: BlockKind) => [...a.nodes, ...b.nodes].some((block) => block.kind === kind);
  const pools = usePools(has("transit_pool"));
  const plans = useCustomPlans(has("custom"));
  return (field: string, value: string) => {
    if (field === "node_id") return servers.get(value)?.name ?? value;
    if (field === "node_domain_id") return hosts[value] ?? value;
    if (field === "pool_id") return pools.find(({ id }) => id === value)?.name ?? value;
    if (field === "plan_version_id") {
      const found = findVersion(plans, value);
      return found ? versionName(found) : value;
    }
    if (field === "to") return nameOf(findBlock(b, value) ?? findBlock(a, value)) || value;
    if (value === "true" || value === "false") return t(`compare.${value}`);
    if (field === "private") return t(`compare.private.${value}`);
    return value;
  };
}
