import { useTranslation } from "react-i18next";
import type { BypassedCheck, Check } from "./api";

type Asked = Pick<Check | BypassedCheck, "key" | "group" | "node_id" | "node_name"> & Partial<Pick<Check, "summary">>;

/** What a readiness check asks, in the language of the page: its key names the question, `group:node:…:subject`. */
export function useCheckWords(): (check: Asked) => string {
  const { t } = useTranslation("flows");
  return (check) => {
    const node = check.node_name || check.node_id.slice(-6);
    if (check.group === "stages") return check.summary ?? check.key;
    return t(`check.${check.group}`, { node, what: subjectOf(check) });
  };
}

/** `443/tcp` of a port check, `www.example.org:443` of a target check. */
export function subjectOf({ key, group, node_id }: Pick<Asked, "key" | "group" | "node_id">): string {
  const rest = key.slice(key.indexOf(node_id) + node_id.length + 1);
  if (group === "target") return rest.split(":").slice(0, 2).join(":");
  return rest.slice(rest.lastIndexOf(":") + 1);
}
