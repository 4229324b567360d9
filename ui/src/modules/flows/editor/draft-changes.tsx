import { useTranslation } from "react-i18next";
import { Link } from "@tanstack/react-router";
import { Card, Row, Rows } from "@/components/layout/card";
import type { VersionSnapshot } from "../shared/api";
import { useBlockName, useDrawing, useEditor } from "./editor-context";
import { findBlock } from "../drawing/drawing";
import classes from "./outline/outline.module.css";

/** What the draft has that the installed version has not. */
export function DraftChanges({ installed }: { installed: VersionSnapshot | undefined }) {
  const { t } = useTranslation("flows");
  const { flow, changes } = useEditor();
  const drawing = useDrawing();
  const nameOf = useBlockName();
  if (!installed || !changes || changes.length === 0) return null;
  const keyName = (key: string) => nameOf(findBlock(drawing, key) ?? findBlock(installed.graph, key)) || key;
  return (
    <Card
      flush
      title={t("changes.title")}
      aside={changes.length}
      right={<Link to={`/flows/${flow.id}/versions`}>{t("changes.compare", { number: installed.number })}</Link>}
    >
      <Rows label={t("changes.title")}>
        {changes.slice(0, 8).map((change) => (
          <Row key={change.key} className={classes.change}>
            <span className="dim">{t(`compare.${change.op}`)}</span>
            <span>
              {change.block
                ? nameOf(change.block)
                : t("changes.way", { from: keyName(change.edge!.from), to: keyName(change.edge!.to) })}
            </span>
          </Row>
        ))}
      </Rows>
    </Card>
  );
}
