import { Menu, Popover, TextInput } from "@mantine/core";
import { IconHierarchy2, IconMaximize, IconMinus, IconPlus, IconRoute2, IconSearch } from "@tabler/icons-react";
import { useReactFlow, useStore as useCanvas } from "@xyflow/react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Action } from "@/components/action/action";
import { useFormat } from "@/text/use-format";
import { AddBlockMenu } from "../add-menu";
import classes from "./canvas.module.css";
import { place } from "../../drawing/drawing-edits";
import { useBlockName, useDrawing, useEditor } from "../editor-context";
import { layout, positionsOf } from "../../drawing/layout";
import { Trace } from "./trace";
import { useShortcut } from "../use-shortcut";
import { ConnectItems } from "../inspector/ways-form";

/** The bar over the canvas: add, connect, trace; find, arrange, fit, zoom. */
export function CanvasTools({ editable }: { editable: boolean }) {
  const { t } = useTranslation("flows");
  const { store } = useEditor();
  const { fitView, zoomIn, zoomOut } = useReactFlow();
  const arrange = () => {
    store.getState().edit((now) => place(now, layout(now)));
    setTimeout(() => void fitView({ padding: 0.12, maxZoom: 1 }), 50);
  };
  return (
    <>
      <div className={classes.tools}>
        {editable && <AddBlockMenu />}
        {editable && <ConnectMenu />}
        <Trace icon={IconRoute2} />
      </div>
      <div className={classes.view} role="toolbar" aria-label={t("canvas.view")}>
        <FindBlock />
        {editable && (
          <Action kind="ghost" size="bar" iconOnly icon={IconHierarchy2} onClick={arrange} aria-keyshortcuts="L">
            {t("canvas.arrange")}
          </Action>
        )}
        <Action
          kind="ghost"
          size="bar"
          iconOnly
          icon={IconMaximize}
          onClick={() => void fitView({ padding: 0.12, maxZoom: 1 })}
          aria-keyshortcuts="F"
        >
          {t("canvas.fit")}
        </Action>
        <span className={classes.divider} aria-hidden />
        <Action kind="ghost" size="bar" iconOnly icon={IconMinus} onClick={() => void zoomOut()}>
          {t("canvas.zoomOut")}
        </Action>
        <Zoom />
        <Action kind="ghost" size="bar" iconOnly icon={IconPlus} onClick={() => void zoomIn()}>
          {t("canvas.zoomIn")}
        </Action>
      </div>
    </>
  );
}

/** Follows the zoom alone: moving the canvas draws none of the bar again. */
function Zoom() {
  const format = useFormat();
  const percent = useCanvas((state) => Math.round(state.transform[2] * 100));
  return <span className={`${classes.zoom} num`}>{format.percent(percent)}</span>;
}

/** "Connect to…" for the chosen block: the keyboard's way of drawing a line. Opens with C. */
function ConnectMenu() {
  const { t } = useTranslation("flows");
  const { store } = useEditor();
  const drawing = useDrawing();
  const chosen = useStore(store, (state) => state.chosen.blocks);
  const [opened, setOpened] = useState(false);
  const block = chosen.length === 1 ? drawing.nodes.find((item) => item.key === chosen[0]) : undefined;
  const can = block !== undefined && ["entry", "transit", "transit_pool"].includes(block.kind);
  useShortcut("KeyC", () => can && setOpened(true));
  if (!can) return null;
  return (
    <Menu opened={opened} onChange={setOpened} position="top-start">
      <Menu.Target>
        <Action aria-keyshortcuts="C">
          {t("canvas.connect")} <kbd className={classes.key}>C</kbd>
        </Action>
      </Menu.Target>
      <Menu.Dropdown>
        <ConnectItems blockKey={block.key} />
      </Menu.Dropdown>
    </Menu>
  );
}

function FindBlock() {
  const { t } = useTranslation("flows");
  const { store } = useEditor();
  const { setCenter } = useReactFlow();
  const drawing = useDrawing();
  const nameOf = useBlockName();
  const [opened, setOpened] = useState(false);
  const [text, setText] = useState("");
  useShortcut("Slash", () => setOpened(true));
  const needle = text.trim().toLocaleLowerCase();
  const hits = drawing.nodes
    .filter((block) => needle === "" || nameOf(block).toLocaleLowerCase().includes(needle))
    .slice(0, 8);
  const go = (key: string) => {
    const position = positionsOf(drawing)[key]!;
    store.getState().choose({ blocks: [key] });
    void setCenter(position.x + 90, position.y + 26, { zoom: 1, duration: 200 });
    setOpened(false);
  };
  return (
    <Popover opened={opened} onChange={setOpened} position="top-end" trapFocus>
      <Popover.Target>
        <Action
          kind="ghost"
          size="bar"
          iconOnly
          icon={IconSearch}
          onClick={() => setOpened(!opened)}
          aria-keyshortcuts="/"
        >
          {t("canvas.find")}
        </Action>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (hits[0]) go(hits[0].key);
          }}
        >
          <TextInput
            aria-label={t("canvas.find")}
            placeholder={t("canvas.find")}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            data-autofocus
          />
        </form>
        <ul className={classes.hits}>
          {hits.map((block) => (
            <li key={block.key}>
              <button type="button" onClick={() => go(block.key)}>
                {nameOf(block)} <span className="dim">{t(`kind.${block.kind}`)}</span>
              </button>
            </li>
          ))}
        </ul>
      </Popover.Dropdown>
    </Popover>
  );
}
