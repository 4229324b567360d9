import { Menu } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconCopy, IconDots, IconLink, IconPlus, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { hasRules, isEverything, isTerminal, type Block } from "../../drawing/drawing";
import { duplicate, moveWay, removeBlocks, removeEdge } from "../../drawing/drawing-edits";
import { addAfterChosen } from "../add-menu";
import { useDrawing, useEditor } from "../editor-context";
import { ConnectItems } from "../inspector/ways-form";
import type { OutlineRow } from "./outline-model";
import classes from "./outline.module.css";

/** Removes what a row shows: a block, or a rule. */
export function remove(store: ReturnType<typeof useEditor>["store"], row: OutlineRow) {
  const { edit, choose } = store.getState();
  choose({ blocks: [] });
  edit((now) => (row.kind === "block" ? removeBlocks(now, [row.block.key]) : removeEdge(now, row.way.index)));
}

/** The acts of a row behind three dots. */
export function RowActs({ row, name, onEdit }: { row: OutlineRow; name: string; onEdit: () => void }) {
  const { t } = useTranslation("flows");
  const { store, closed } = useEditor();
  const drawing = useDrawing();
  const { edit, choose } = store.getState();
  const movable = row.kind === "way" && !isEverything(row.way.edge.match);
  const conditions =
    row.kind === "way"
      ? drawing.edges.filter((edge) => edge.from === row.owner.key && !isEverything(edge.match)).length
      : 0;
  return (
    <span className={classes.acts}>
      <Menu>
        <Menu.Target>
          <Action kind="ghost" size="bar" iconOnly icon={IconDots}>
            {t("outline.acts", { name })}
          </Action>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={onEdit}>{t(closed === undefined ? "outline.edit" : "outline.look")}</Menu.Item>
          {closed === undefined && movable && (
            <>
              <Menu.Item
                leftSection={<IconArrowUp size={15} stroke={1.6} aria-hidden />}
                disabled={row.position === 0}
                onClick={() => edit((now) => moveWay(now, row.way.index, -1))}
              >
                {t("outline.up")}
              </Menu.Item>
              <Menu.Item
                leftSection={<IconArrowDown size={15} stroke={1.6} aria-hidden />}
                disabled={row.position >= conditions - 1}
                onClick={() => edit((now) => moveWay(now, row.way.index, 1))}
              >
                {t("outline.down")}
              </Menu.Item>
            </>
          )}
          {closed === undefined && row.kind === "block" && (
            <Menu.Item
              leftSection={<IconCopy size={15} stroke={1.6} aria-hidden />}
              onClick={() => {
                const result = duplicate(store.getState().drawing, [row.block.key]);
                edit(() => result.drawing);
                choose({ blocks: result.keys });
              }}
            >
              {t("inspector.duplicate")}
            </Menu.Item>
          )}
          {closed === undefined && (
            <Menu.Item
              data-danger
              leftSection={<IconTrash size={15} stroke={1.6} aria-hidden />}
              onClick={() => remove(store, row)}
            >
              {t("inspector.remove")}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
    </span>
  );
}

/** What may follow a block: a way to one that exists, or a new block. */
export function ConnectRow({ block }: { block: Block }) {
  const { t } = useTranslation("flows");
  const { store, closed } = useEditor();
  const drawing = useDrawing();
  if (isTerminal(block.kind) || closed !== undefined) return null;
  return (
    <div className={classes.connect}>
      <Menu position="bottom-start">
        <Menu.Target>
          <Action icon={IconLink}>{t(hasRules(drawing, block.key) ? "ways.add" : "ways.connect")}</Action>
        </Menu.Target>
        <Menu.Dropdown>
          <ConnectItems blockKey={block.key} />
        </Menu.Dropdown>
      </Menu>
      {(["exit", "direct", "custom", "block", "transit", "transit_pool"] as const).map((kind) => (
        <Action key={kind} kind="ghost" icon={IconPlus} onClick={() => addAfterChosen(store, kind)}>
          {t(`kind.${kind}`)}
        </Action>
      ))}
    </div>
  );
}
