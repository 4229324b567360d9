import { Menu } from "@mantine/core";
import { IconCopy, IconDots, IconTrash, IconX } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { Action } from "@/components/action/action";
import { Skeleton } from "@/components/state/states";
import { Count } from "@/components/status/status";
import { BlockForm } from "./block-form";
import { useBlockFacts } from "../block-facts";
import { findBlock, hasRules, waysFrom, type Block } from "../../drawing/drawing";
import { duplicate, removeBlocks } from "../../drawing/drawing-edits";
import { useBlockName, useDrawing, useEditor } from "../editor-context";
import { FieldCalls } from "./field";
import classes from "./inspector.module.css";
import { kindIcons, rulesIcon } from "../../drawing/kinds";
import { positionsOf } from "../../drawing/layout";
import { ProblemList } from "../problems/problem-list";
import { countErrors, problemsOfBlock, problemsOfRules } from "../problems/problems";
import { useServedBy } from "../../shared/proxy-panels";
import { WaysForm } from "./ways-form";

const JsonForm = lazy(() => import("./json-form"));

type Tab = "form" | "problems" | "json";

/** The side panel of the canvas: everything about the one chosen block or its rules. */
export function Inspector() {
  const { store } = useEditor();
  const chosen = useStore(store, (state) => state.chosen);
  const drawing = useDrawing();
  const block = chosen.blocks.length === 1 ? findBlock(drawing, chosen.blocks[0]) : undefined;
  if (!block) return chosen.blocks.length > 1 ? <Many count={chosen.blocks.length} /> : null;
  const rules = chosen.rules === true && waysFrom(drawing, block.key).length > 0;
  return <One key={`${block.key} ${rules}`} block={block} rules={rules} />;
}

function One({ block, rules }: { block: Block; rules: boolean }) {
  const { t } = useTranslation("flows");
  const { store, problems, changed } = useEditor();
  const drawing = useDrawing();
  const [tab, setTab] = useState<Tab>("form");
  const name = useBlockName()(block);
  const facts = useBlockFacts()(block);
  const served = useServedBy(block);
  const own = rules ? problemsOfRules(problems, block.key) : problemsOfBlock(problems, block.key);
  const Icon = rules ? rulesIcon : kindIcons[block.kind];
  const tabs: { key: Tab; label: string }[] = [
    { key: "form", label: t("inspector.form") },
    { key: "problems", label: t("inspector.problems") },
    ...(rules ? [] : [{ key: "json" as const, label: "JSON" }]),
  ];
  return (
    <aside className={classes.panel} aria-label={rules ? t("rules.of", { name }) : name}>
      <header className={classes.head}>
        <Icon size={18} stroke={1.5} aria-hidden />
        <div className={classes.words}>
          <h2>{rules ? t("rules.title") : name}</h2>
          <p>
            {[
              rules ? t("rules.of", { name }) : facts,
              rules ? "" : served,
              changed.has(block.key) ? t("block.changed") : undefined,
            ]
              .filter(Boolean)
              .join(", ")}
          </p>
        </div>
        {!rules && <BlockMenu block={block} />}
        <Action kind="ghost" size="bar" iconOnly icon={IconX} onClick={() => store.getState().choose({ blocks: [] })}>
          {t("inspector.close")}
        </Action>
      </header>
      <div className={classes.tabs} role="tablist" aria-label={t("inspector.label")}>
        {tabs.map((item) => (
          <button
            key={item.key}
            type="button"
            role="tab"
            aria-selected={tab === item.key}
            className={classes.tab}
            onClick={() => setTab(item.key)}
          >
            {item.label}
            {item.key === "problems" && own.length > 0 && (
              <Count tone={countErrors(own) > 0 ? "crit" : undefined}>{own.length}</Count>
            )}
          </button>
        ))}
      </div>
      <div className={classes.body} role="tabpanel" aria-label={tabs.find((item) => item.key === tab)!.label}>
        {tab === "form" &&
          (rules ? (
            <FieldCalls>
              <WaysForm blockKey={block.key} />
            </FieldCalls>
          ) : (
            <BlockForm block={block} ways={!hasRules(drawing, block.key)} />
          ))}
        {tab === "problems" && <ProblemList problems={own} onGo={() => setTab("form")} />}
        {tab === "json" && (
          <Suspense fallback={<Skeleton height={240} />}>
            <JsonForm block={block} />
          </Suspense>
        )}
      </div>
    </aside>
  );
}

function BlockMenu({ block }: { block: Block }) {
  const { t } = useTranslation("flows");
  const { store, closed } = useEditor();
  if (closed !== undefined) return null;
  const copy = () => {
    const { drawing, edit, choose } = store.getState();
    const result = duplicate(drawing, [block.key], positionsOf(drawing));
    edit(() => result.drawing);
    choose({ blocks: result.keys });
  };
  return (
    <Menu>
      <Menu.Target>
        <Action kind="ghost" size="bar" iconOnly icon={IconDots}>
          {t("inspector.more")}
        </Action>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconCopy size={15} stroke={1.6} aria-hidden />}
          rightSection={<span className="dim">Ctrl D</span>}
          onClick={copy}
        >
          {t("inspector.duplicate")}
        </Menu.Item>
        <Menu.Item
          data-danger
          leftSection={<IconTrash size={15} stroke={1.6} aria-hidden />}
          rightSection={<span className="dim">Del</span>}
          onClick={() => store.getState().edit((now) => removeBlocks(now, [block.key]))}
        >
          {t("inspector.remove")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function Many({ count }: { count: number }) {
  const { t } = useTranslation("flows");
  const { store, closed } = useEditor();
  const remove = () => {
    const { chosen, edit } = store.getState();
    edit((now) => removeBlocks(now, chosen.blocks));
  };
  return (
    <aside className={classes.panel} aria-label={t("inspector.many", { count })}>
      <header className={classes.head}>
        <div className={classes.words}>
          <h2>{t("inspector.many", { count })}</h2>
        </div>
      </header>
      <div className={classes.body}>
        <Action kind="danger" icon={IconTrash} onClick={remove} reason={closed}>
          {t("inspector.removeMany", { count })}
        </Action>
      </div>
    </aside>
  );
}
