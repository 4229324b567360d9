import { IconArrowRight } from "@tabler/icons-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { compareDrawings, renamedBlocks, type ObjectChange } from "../drawing/compare";
import type { Drawing } from "../drawing/drawing";
import classes from "./compare.module.css";
import { useSentences } from "./sentences";

interface CompareProps {
  a: Drawing;
  b: Drawing;
  nameA: string;
  nameB: string;
}

const signs = { added: "+", changed: "~", removed: "−" } as const;

/** What is another in the second drawing than in the first, in sentences, block by block. */
export function CompareTable({ a, b, nameA, nameB }: CompareProps) {
  const { t } = useTranslation("flows");
  const changes = useMemo(() => compareDrawings(a, b), [a, b]);
  const renamed = useMemo(() => renamedBlocks(a, b), [a, b]);
  const { title, sentences } = useSentences(a, b);
  return (
    // A region that scrolls must be reachable by keyboard.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={classes.scroll} role="region" aria-label={t("compare.label")} tabIndex={0}>
      <p className={classes.between}>
        {nameA} <IconArrowRight size={13} stroke={1.6} aria-label={t("diff.to")} /> {nameB}
      </p>
      {changes.length === 0 && <p className={classes.same}>{t("compare.same")}</p>}
      <ul className={classes.changes}>
        {changes.map((change) => (
          <li key={change.key} data-op={change.op}>
            <span className={classes.sign} role="img" aria-label={t(`compare.${change.op}`)}>
              {signs[change.op]}
            </span>
            <div>
              <p className="strong">{title(change)}</p>
              {sentences(change).map((sentence) => (
                <p key={sentence}>{sentence}</p>
              ))}
            </div>
          </li>
        ))}
        {renamed.map(({ key, from, to }) => (
          <li key={`${key} name`} data-op="renamed">
            <span className={classes.sign} aria-hidden />
            <p className="soft">{t("compare.renamed", { from, to })}</p>
          </li>
        ))}
      </ul>
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
