import { MultiSelect, NumberInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors, isProblem } from "@/api/problem";
import { Action } from "@/components/action/action";
import { DialogFoot, DialogForm } from "@/components/dialog/dialog-form";
import { FormModal, useTyped } from "@/components/form/form-modal";
import { FormProblems } from "@/components/form/form-problems";
import { toastDone } from "@/components/state/toast";
import { useFormat } from "@/text/use-format";
import { nodeNamesQuery, useChangeRings, type Rings } from "./api";
import { changeOf, countsOf, draftOf, mostRings, problemsOf, withRing, type RingsDraft } from "./rings";
import classes from "./updates.module.css";

/** How a rollout goes through the fleet: the sizes of its rings, who goes first, how long a ring is watched. */
export function RingsDialog({
  opened,
  rings,
  onClose,
}: {
  opened: boolean;
  rings: Rings | undefined;
  onClose: () => void;
}) {
  const { t } = useTranslation("updates");
  return (
    <FormModal opened={opened && !!rings} onClose={onClose} title={t("rings.title")} size={560}>
      {rings && <RingsForm rings={rings} onClose={onClose} />}
    </FormModal>
  );
}

function RingsForm({ rings, onClose }: { rings: Rings; onClose: () => void }) {
  const { t } = useTranslation("updates");
  const format = useFormat();
  const save = useChangeRings();
  const [base, setBase] = useState(rings);
  const [draft, setDraft] = useState(() => draftOf(rings));
  const [tried, setTried] = useState(false);
  const wrong = problemsOf(draft);
  const server = fieldErrors(save.error);
  const changed = JSON.stringify(draft) !== JSON.stringify(draftOf(base));
  const close = useTyped(changed && !save.isPending && !save.isSuccess);
  const change = (part: Partial<RingsDraft>) => setDraft({ ...draft, ...part });
  const shown = (id: string) => (tried && wrong[id] ? t(`rings.wrong.${wrong[id]}`) : undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(wrong).length > 0 || save.isPending) return;
    const done = () => {
      toastDone(t("rings.saved"));
      onClose();
    };
    save.mutate(changeOf(draft, base.revision), { onSuccess: done });
  };
  const reload = () => {
    setBase(rings);
    setDraft(draftOf(rings));
    setTried(false);
    save.reset();
  };
  return (
    <DialogForm onSubmit={submit}>
      <p className="soft">{t("rings.text")}</p>
      {save.error && (
        <FormProblems
          error={save.error}
          fields={{
            sizes: "ring-1",
            first_nodes: "ring-first",
            pause_seconds: "ring-pause",
            parallel: "ring-parallel",
          }}
        />
      )}
      {isProblem(save.error, "revision_conflict") && (
        <div>
          <Action onClick={reload}>{t("rings.reload")}</Action>
        </div>
      )}
      <Sizes
        draft={draft}
        behind={rings.behind}
        error={(id) => shown(id) ?? (id === "ring-1" ? server.sizes : undefined)}
        onChange={(sizes) => change({ sizes })}
      />
      <First rings={base} value={draft.first} error={server.first_nodes} onChange={(first) => change({ first })} />
      <div className={classes.pair}>
        <NumberInput
          id="ring-pause"
          label={t("rings.pause")}
          description={
            typeof draft.pause === "number" && draft.pause >= 60
              ? t("rings.pauseSpan", { span: format.span(draft.pause) })
              : t("rings.pauseHelp")
          }
          suffix={t("rings.seconds")}
          min={0}
          allowDecimal={false}
          clampBehavior="none"
          value={draft.pause}
          onChange={(pause) => change({ pause })}
          error={shown("ring-pause") ?? server.pause_seconds}
        />
        <NumberInput
          id="ring-parallel"
          label={t("rings.parallel")}
          description={t("rings.parallelHelp")}
          min={1}
          allowDecimal={false}
          clampBehavior="none"
          value={draft.parallel}
          onChange={(parallel) => change({ parallel })}
          error={shown("ring-parallel") ?? server.parallel}
        />
      </div>
      <DialogFoot>
        <Action size="dialog" onClick={close}>
          {t("rings.cancel")}
        </Action>
        <Action size="dialog" kind="filled" type="submit" busy={save.isPending}>
          {t("rings.save")}
        </Action>
      </DialogFoot>
    </DialogForm>
  );
}

interface SizesProps {
  draft: RingsDraft;
  behind: number;
  error: (id: string) => string | undefined;
  onChange: (sizes: RingsDraft["sizes"]) => void;
}

function Sizes({ draft: { sizes }, behind, error, onChange }: SizesProps) {
  const { t } = useTranslation("updates");
  const counts = countsOf(behind, sizes);
  const count = (at: number) => behind > 0 && <span className="dim num">{t("rings.now", { count: counts[at] })}</span>;
  return (
    <div className={classes.sizes}>
      <ol aria-label={t("agents.rings")}>
        {sizes.map((size, at) => (
          <li key={at}>
            <span className={classes.ringName}>{t("agents.ring", { ring: at + 1 })}</span>
            <NumberInput
              id={`ring-${at + 1}`}
              aria-label={t(at === 0 ? "rings.sizeNodes" : "rings.sizeShare", { ring: at + 1 })}
              prefix={at === 0 ? undefined : t("rings.upTo")}
              suffix={at === 0 ? t("rings.nodes", { count: Number(size) || 0 }) : t("rings.ofFleet")}
              min={1}
              allowDecimal={false}
              clampBehavior="none"
              value={size}
              onChange={(next) => onChange(sizes.with(at, next))}
              error={error(`ring-${at + 1}`)}
            />
            {count(at)}
            {at > 0 && (
              <Action kind="ghost" size="bar" icon={IconX} iconOnly onClick={() => onChange(sizes.toSpliced(at, 1))}>
                {t("rings.remove", { ring: at + 1 })}
              </Action>
            )}
          </li>
        ))}
        <li>
          <span className={classes.ringName}>{t("agents.ring", { ring: sizes.length + 1 })}</span>
          <span className="soft">{t(sizes.length === 0 ? "rings.everybody" : "agents.sizeRest")}</span>
          {count(sizes.length)}
        </li>
      </ol>
      {sizes.length < mostRings - 1 && (
        <Action kind="link" size="bar" icon={IconPlus} onClick={() => onChange(withRing(sizes))}>
          {t("rings.add")}
        </Action>
      )}
    </div>
  );
}

function First({
  rings,
  value,
  error,
  onChange,
}: {
  rings: Rings;
  value: string[];
  error: string | undefined;
  onChange: (first: string[]) => void;
}) {
  const { t } = useTranslation("updates");
  const [search, setSearch] = useState("");
  const [asked] = useDebouncedValue(search, 200);
  const found = useQuery(nodeNamesQuery(asked));
  const [known, setKnown] = useState(() => new Map(rings.first.map((node) => [node.id, node.name])));
  const options = new Map([
    ...[...known].filter(([id]) => value.includes(id)),
    ...(found.data ?? []).map((node) => [node.id, node.name] as const),
  ]);
  const pick = (next: string[]) => {
    setKnown(new Map([...known, ...options]));
    onChange(next);
  };
  return (
    <MultiSelect
      id="ring-first"
      label={t("rings.first")}
      description={t("rings.firstHelp")}
      placeholder={value.length === 0 ? t("rings.firstNone") : undefined}
      data={[...options].map(([id, name]) => ({ value: id, label: name }))}
      // The panel has already searched.
      filter={({ options: all }) => all}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      hidePickedOptions
      maxValues={100}
      nothingFoundMessage={found.isFetching ? t("rings.searching") : t("rings.firstNothing")}
      value={value}
      onChange={pick}
      error={error}
    />
  );
}
