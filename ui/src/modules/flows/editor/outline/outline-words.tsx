import { IconArrowRight } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Glyph } from "@/components/status/glyph";
import { Status } from "@/components/status/status";
import { findBlock } from "../../drawing/drawing";
import { kindIcons } from "../../drawing/kinds";
import { useServedBy } from "../../shared/proxy-panels";
import { serverGlyph } from "../../shared/states";
import { useBlockFacts } from "../block-facts";
import { useBlockName, useDrawing, useEditor, usePlaces } from "../editor-context";
import { useWayName } from "../inspector/ways-form";
import { useWayLoads } from "../use-way-loads";
import { problemsOfBlock, problemsOfEdge } from "../problems/problems";
import type { OutlineRow } from "./outline-model";
import classes from "./outline.module.css";

/** What a row says of its block: name, facts, changes, problems and how its node runs. */
export function BlockWords({ row, phone }: { row: Extract<OutlineRow, { kind: "block" }>; phone: boolean }) {
  const { t } = useTranslation("flows");
  const { problems, changed } = useEditor();
  const { servers } = usePlaces();
  const { block, repeated } = row;
  const Icon = kindIcons[block.kind];
  const own = problemsOfBlock(problems, block.key);
  const errors = own.filter((problem) => problem.severity === "error").length;
  const server = block.node_id ? servers.get(block.node_id) : undefined;
  const served = useServedBy(block);
  const facts = [useBlockFacts()(block), served].filter(Boolean).join(", ");
  return (
    <>
      <Icon size={16} stroke={1.5} aria-hidden className={classes.icon} />
      <span className={classes.words}>
        <span className={classes.name}>
          <span className="strong">{useBlockName()(block)}</span>
          {repeated && <span className="dim">{t("outline.above")}</span>}
          {changed.has(block.key) &&
            !repeated &&
            (phone ? (
              <Glyph kind="draft" label={t("outline.changed")} />
            ) : (
              <Status kind="draft">{t("outline.changed")}</Status>
            ))}
          {errors > 0 && !repeated && !phone && <Status kind="down">{t("outline.problems", { count: errors })}</Status>}
        </span>
        {phone && <span className={classes.under}>{facts}</span>}
      </span>
      {phone && errors > 0 && <Status kind="down">{t("outline.problems", { count: errors })}</Status>}
      {!phone && <span className={classes.facts}>{facts}</span>}
      {!phone && <span className={classes.kind}>{t(`kind.${block.kind}`)}</span>}
      <span className={classes.state}>
        {server &&
          (phone ? (
            <Glyph kind={serverGlyph[server.state]} label={t(`server.${server.state}`)} />
          ) : (
            <Status kind={serverGlyph[server.state]}>{t(`server.${server.state}`)}</Status>
          ))}
      </span>
    </>
  );
}

/** What a row says of its rule: condition, where it leads, problems. */
export function WayWords({ row, phone }: { row: Extract<OutlineRow, { kind: "way" }>; phone: boolean }) {
  const { t } = useTranslation("flows");
  const { problems } = useEditor();
  const drawing = useDrawing();
  const nameOf = useBlockName();
  const { loads, rate } = useWayLoads();
  const { way } = row;
  const errors = problemsOfEdge(problems, way.index).filter((problem) => problem.severity === "error").length;
  const to = nameOf(findBlock(drawing, way.edge.to));
  return (
    <>
      <span className={`num ${classes.number}`}>{row.position + 1}</span>
      <span className={classes.words}>
        <span className={classes.name}>
          <span className="strong">{useWayName()(way)}</span>
          {!phone && (
            <>
              <IconArrowRight size={13} stroke={1.6} aria-hidden />
              <span className="soft">{to}</span>
            </>
          )}
          {errors > 0 && <Status kind="down">{t("outline.problems", { count: errors })}</Status>}
        </span>
        {phone && <span className={classes.under}>{t("outline.to", { name: to })}</span>}
      </span>
      {!phone && (
        <span className={classes.facts}>
          {[way.edge.transport === "raw" ? "" : way.edge.transport, rate(loads.get(way.index))]
            .filter(Boolean)
            .join(", ")}
        </span>
      )}
      {!phone && <span className={classes.kind}>{t("kind.rule")}</span>}
      <span className={classes.state} />
    </>
  );
}
