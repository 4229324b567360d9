import { useTranslation } from "react-i18next";
import { findBlock, type Drawing } from "../drawing/drawing";
import { useBlockName } from "../editor/editor-context";
import type { NamedChange } from "./plan-changes";

export interface ChangeWords {
  object: (change: NamedChange) => string;
  field: (field: string) => string;
  value: (field: string | undefined, value: string | undefined) => string;
  /** All that is said of an object that comes or goes, field by field. */
  whole: (fields: Record<string, string> | undefined, text: string | undefined) => string;
}

const rule = /^(\S+) to (\S+)$/;
const opened = /^allow (\S+)$/;
const quiet = new Set(["id", "to"]);
// A pool has a part of its block on each of its members.
const member = "~";
const order = ["match", "listen", "protocol", "transport", "security"];

/** The panel names blocks by their keys and fields in English; people read names of blocks and their own language. */
export function useChangeWords(drawings: readonly (Drawing | undefined)[]): ChangeWords {
  const { t, i18n } = useTranslation("flows");
  const nameOfBlock = useBlockName();
  const block = (key: string) => {
    const [own = key] = key.split(member);
    const found = drawings.flatMap((drawing) => (drawing && findBlock(drawing, own)) ?? [])[0];
    return (found && nameOfBlock(found)) || key;
  };
  const field = (name: string) =>
    i18n.exists(`diff.field.${name}`, { ns: "flows" }) ? t(`diff.field.${name}`) : name.replace(/_/g, " ");
  const value = (name: string | undefined, text: string | undefined) => {
    if (!text) return "";
    if (name === "to") return block(text);
    if (name === "from") return text === "anywhere" ? t("diff.anywhere") : text.split(", ").map(block).join(", ");
    if (name === "match" && text === "everything else") return t("ways.else");
    if (name === "strategy") return t(`diff.strategy.${text as "ordered"}`, { defaultValue: text });
    if (name === "private" && text === "blocked") return t("diff.blocked");
    return text;
  };
  return {
    object: ({ group, name }) => {
      const [, from, to] = (group === "routes" && rule.exec(name)) || [];
      if (from && to) return `${block(from)} → ${block(to)}`;
      const [, what] = (group === "firewall" && opened.exec(name)) || [];
      if (what) return t("diff.allow", { what });
      return group === "listeners" ? block(name) : name;
    },
    field,
    value,
    whole: (fields, text) => {
      if (!fields) return text ?? "";
      const place = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
      return Object.keys(fields)
        .filter((name) => !quiet.has(name) && fields[name])
        .sort((a, b) => place(a) - place(b))
        .map((name) => (name === "match" ? value(name, fields[name]) : `${field(name)} ${value(name, fields[name])}`))
        .join(", ");
    },
  };
}
