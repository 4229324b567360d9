import { Modal } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { IconSearch } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import type { PaletteHit } from "@/module";
import { useLanguage } from "@/text/use-format";
import { modules, pages } from "../modules";
import classes from "./palette.module.css";

/** Ctrl K: pages and objects by name, address or id. */
export function Palette({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation("app");
  return (
    <Modal.Root opened={opened} onClose={onClose} size={640} yOffset={104} centered={false}>
      <Modal.Overlay />
      <Modal.Content aria-label={t("palette.open")}>
        <Modal.Body className={classes.body}>{opened && <PaletteBody onClose={onClose} />}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function PaletteBody({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("app");
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const hits = useHits(text);
  const active = Math.min(chosen, hits.length - 1);
  const open = (hit: PaletteHit | undefined) => {
    if (!hit) return;
    onClose();
    void navigate({ to: hit.path });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") open(hits[active]);
    if (step === undefined || hits.length === 0) return;
    event.preventDefault();
    setChosen((active + step + hits.length) % hits.length);
  };
  return (
    <>
      <div className={classes.field}>
        <IconSearch size={18} stroke={1.6} aria-hidden />
        <input
          className={classes.input}
          role="combobox"
          aria-expanded
          aria-controls="palette-hits"
          aria-activedescendant={hits[active] ? `hit-${active}` : undefined}
          aria-label={t("palette.open")}
          placeholder={t("palette.hint")}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
          data-autofocus
        />
        <kbd className={classes.key}>Esc</kbd>
      </div>
      <div id="palette-hits" role="listbox" aria-label={t("palette.hits")} className={classes.hits}>
        {hits.length === 0 && <p className={classes.none}>{t("palette.none")}</p>}
        {hits.map((hit, index) => (
          <PaletteRow
            key={hit.id}
            hit={hit}
            id={`hit-${index}`}
            active={index === active}
            head={hits[index - 1]?.group !== hit.group}
            onOpen={() => open(hit)}
          />
        ))}
      </div>
      <div className={classes.foot}>
        <span>
          <kbd className={classes.key}>↑</kbd> <kbd className={classes.key}>↓</kbd> {t("palette.move")}
        </span>
        <span>
          <kbd className={classes.key}>Enter</kbd> {t("palette.openKey")}
        </span>
        <span className={classes.paste}>{t("palette.paste")}</span>
      </div>
    </>
  );
}

function PaletteRow({
  hit,
  id,
  active,
  head,
  onOpen,
}: {
  hit: PaletteHit;
  id: string;
  active: boolean;
  head: boolean;
  onOpen: () => void;
}) {
  return (
    <>
      {head && (
        <div className={`caps ${classes.group}`} role="presentation">
          {hit.group}
        </div>
      )}
      {/* The field keeps the focus and reads the keys; a row only takes the pointer. */}
      {/* eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus */}
      <div id={id} role="option" aria-selected={active} className={classes.hit} onClick={onOpen}>
        <span className="strong">{hit.name}</span>
        {hit.detail && <span className="dim">{hit.detail}</span>}
      </div>
    </>
  );
}

function useHits(text: string): PaletteHit[] {
  const { t } = useTranslation("app");
  const language = useLanguage();
  const { can } = useAccess();
  const [wanted] = useDebouncedValue(text.trim(), 150);
  const sources = modules.filter((module) => module.search && (!module.search.needs || can(...module.search.needs)));
  const objects = useQuery({
    queryKey: ["palette", wanted],
    enabled: wanted.length > 1,
    staleTime: 5_000,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (await Promise.allSettled(sources.map((module) => module.search!.find(wanted, signal)))).flatMap((found) =>
        found.status === "fulfilled" ? found.value : [],
      ),
  });
  const needle = text.trim().toLocaleLowerCase();
  const places = pages
    .filter((page) => page.frame !== "bare" && !page.path.includes("$") && (!page.needs || can(...page.needs)))
    .filter((page) => Object.values(page.title).some((title) => title.toLocaleLowerCase().includes(needle)))
    .map((page): PaletteHit => ({
      id: page.path,
      group: t("palette.pages"),
      name: page.title[language],
      path: page.path,
    }));
  return [...(needle.length > 1 ? (objects.data ?? []) : []), ...places];
}
