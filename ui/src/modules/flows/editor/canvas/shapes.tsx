import { Handle, Position, type NodeProps } from "@xyflow/react";
import { IconPlugConnected } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { memo, useCallback, type ReactNode } from "react";
import { Glyph, type GlyphKind } from "@/components/status/glyph";
import { newWay, type BlockShape, type RulesShape } from "./canvas-model";
import classes from "./canvas.module.css";
import { findBlock, isTerminal, waysFrom } from "../../drawing/drawing";
import { useBlockFacts } from "../block-facts";
import { useBlockName, useDrawing, useEditor, usePlaces } from "../editor-context";
import { kindIcons, rulesIcon as RulesIcon } from "../../drawing/kinds";
import { countErrors, problemsOfBlock, problemsOfEdge, problemsOfRules, type Problem } from "../problems/problems";
import { useServedBy } from "../../shared/proxy-panels";
import { serverGlyph } from "../../shared/states";
import { useWayName } from "../inspector/ways-form";

/** A block on the canvas: what it is, one line of facts, how its server runs, what is wrong with it. */
export const BlockNode = memo(function BlockNode({ data, selected }: NodeProps<BlockShape>) {
  const { t } = useTranslation("flows");
  const { problems, changed } = useEditor();
  const { servers } = usePlaces();
  const { block } = data;
  const server = block.node_id ? servers.get(block.node_id) : undefined;
  const Icon = kindIcons[block.kind];
  const facts = useBlockFacts()(block);
  const served = useServedBy(block);
  return (
    <Frame selected={selected} problems={problemsOfBlock(problems, block.key)}>
      <div className={classes.head}>
        <Icon size={16} stroke={1.5} aria-hidden />
        <span className={classes.words}>
          <span className={classes.name}>
            <span>{useBlockName()(block)}</span>
            {changed.has(block.key) && <Glyph kind="draft" size={10} label={t("block.changed")} />}
          </span>
          <span className={classes.facts} title={facts}>
            {facts}
          </span>
        </span>
        {server && <Glyph kind={serverGlyph[server.state]} label={t(`server.${server.state}`)} />}
      </div>
      {served && (
        <span className={classes.served} title={served}>
          <IconPlugConnected size={12} stroke={1.6} aria-hidden />
          <span>{served}</span>
        </span>
      )}
      {block.kind !== "entry" && <Handle type="target" position={Position.Left} className={classes.port} />}
      {!isTerminal(block.kind) && (
        <Handle type="source" position={Position.Right} id={newWay} className={classes.port} />
      )}
    </Frame>
  );
});

/** The rules of a block: one row and one port for each way, in the order in which they are tried. */
export const RulesNode = memo(function RulesNode({ data, selected }: NodeProps<RulesShape>) {
  const { t } = useTranslation("flows");
  const { problems, store } = useEditor();
  const drawing = useDrawing();
  const wayName = useWayName();
  const { owner } = data;
  const ways = waysFrom(drawing, owner.key);
  return (
    <Frame selected={selected} problems={problemsOfRules(problems, owner.key)}>
      <div className={classes.head}>
        <RulesIcon size={16} stroke={1.5} aria-hidden />
        <span className={classes.words}>
          <span className={classes.name}>{t("rules.title")}</span>
          <span className={classes.facts}>{t("rules.count", { count: ways.length })}</span>
        </span>
      </div>
      <ol className={classes.rows}>
        {ways.map((way, position) => (
          // The row is a larger target for the pointer; the keyboard reaches the rule in the side panel.
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
          <li
            key={way.index}
            className={classes.row}
            data-wrong={
              problemsOfEdge(problems, way.index).some((problem) => problem.severity === "error") || undefined
            }
            onClick={() => store.getState().choose({ blocks: [owner.key], edge: way.index, rules: true })}
          >
            <span className={classes.number}>{position + 1}</span>
            <span className={classes.rowName}>{wayName(way)}</span>
            <Handle
              type="source"
              position={Position.Right}
              id={`way:${way.index}`}
              className={classes.port}
              isConnectable={false}
            />
          </li>
        ))}
      </ol>
      <Handle
        type="target"
        position={Position.Left}
        className={classes.port}
        style={{ top: 26 }}
        isConnectable={false}
      />
      <Handle type="source" position={Position.Right} id={newWay} className={classes.port} style={{ top: 26 }} />
    </Frame>
  );
});

function Frame({
  selected,
  problems,
  children,
}: {
  selected: boolean | undefined;
  problems: Problem[];
  children: ReactNode;
}) {
  const { t } = useTranslation("flows");
  const wrong = problems.some((problem) => problem.severity === "error");
  const errors = countErrors(problems);
  const kind: GlyphKind = "degraded";
  return (
    <div className={classes.block} data-selected={selected || undefined} data-wrong={wrong || undefined}>
      {children}
      {errors > 0 && (
        <span className={`${classes.badge} num`} data-wrong={wrong || undefined}>
          {errors}
          <span className="visually-hidden"> {t("problems.errors", { count: errors })}</span>
        </span>
      )}
      {errors === 0 && problems.length > 0 && (
        <span className={classes.warning}>
          <Glyph kind={kind} size={14} label={t("problems.warnings", { count: problems.length })} />
        </span>
      )}
    </div>
  );
}

/** The words of a block for its accessible name on the canvas. */
export function useShapeLabel(): (key: string, rules: boolean) => string {
  const { t } = useTranslation("flows");
  const drawing = useDrawing();
  const nameOf = useBlockName();
  return useCallback(
    (key, rules) => {
      const block = findBlock(drawing, key);
      if (!block) return key;
      return rules ? t("rules.of", { name: nameOf(block) }) : `${t(`kind.${block.kind}`)}: ${nameOf(block)}`;
    },
    [t, drawing, nameOf],
  );
}
