import { Menu } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Action, type ActionKind } from "@/components/action/action";
import classes from "./canvas/canvas.module.css";
import { isTerminal, offeredKinds, type BlockKind } from "../drawing/drawing";
import { addBlock } from "../drawing/drawing-edits";
import type { DraftStore } from "./draft/draft-store";
import { useBlockName, useDrawing, useEditor } from "./editor-context";
import { kindIcons } from "../drawing/kinds";
import { useShortcut } from "./use-shortcut";

/** Adds a block behind the chosen one where traffic may go on from there, else on its own. */
export function addAfterChosen(store: DraftStore, kind: BlockKind): string {
  const { drawing, chosen, edit, choose } = store.getState();
  const source = chosen.blocks.length === 1 ? drawing.nodes.find((block) => block.key === chosen.blocks[0]) : undefined;
  const after = source && !isTerminal(source.kind) && kind !== "entry" ? source.key : undefined;
  let key = "";
  edit((now) => {
    const result = addBlock(now, kind, { after });
    key = result.key;
    return result.drawing;
  });
  if (key) choose({ blocks: [key] });
  return key;
}

/** The palette of blocks. Opens with A. */
export function AddBlockMenu({ kind = "default", label }: { kind?: ActionKind; label?: string }) {
  const { t } = useTranslation("flows");
  const { store } = useEditor();
  const [opened, setOpened] = useState(false);
  const drawing = useDrawing();
  const nameOf = useBlockName();
  const chosen = useStore(store, (state) => state.chosen.blocks);
  const source = chosen.length === 1 ? drawing.nodes.find((block) => block.key === chosen[0]) : undefined;
  useShortcut("KeyA", () => setOpened(true));
  return (
    <Menu opened={opened} onChange={setOpened} position="top-start" returnFocus>
      <Menu.Target>
        <Action kind={kind} icon={IconPlus} aria-keyshortcuts="A">
          {label ?? t("canvas.add")} <kbd className={classes.key}>A</kbd>
        </Action>
      </Menu.Target>
      <Menu.Dropdown>
        {source && !isTerminal(source.kind) && (
          <Menu.Label>{t("canvas.addAfter", { name: nameOf(source) })}</Menu.Label>
        )}
        {offeredKinds.map((offered) => {
          const Icon = kindIcons[offered];
          return (
            <Menu.Item
              key={offered}
              leftSection={<Icon size={16} stroke={1.5} aria-hidden />}
              onClick={() => addAfterChosen(store, offered)}
            >
              {t(`kind.${offered}`)} <span className="dim">{t(`kindHelp.${offered}`)}</span>
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
