import { TagsInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { FormProblems } from "@/components/form/form-problems";
import { Card } from "@/components/layout/card";
import { toastDone } from "@/components/state/toast";
import { useSaveCatalogue, type Catalogue } from "./api";
import { PresetFields } from "./preset-fields";
import { errorAt } from "./rules";
import { SetFields } from "./set-fields";
import classes from "./policies.module.css";

const contentOf = ({ sets, presets, geo_tokens }: Catalogue) => ({ sets, presets, geo_tokens });
const replaced = <T,>(all: readonly T[], at: number, one: T) => all.map((now, i) => (i === at ? one : now));
const without = <T,>(all: readonly T[], at: number) => all.filter((_, i) => i !== at);

/** Writes the next version of the catalogue. What somebody else saves meanwhile takes nothing typed away. */
export function CatalogueForm({ catalogue, block }: { catalogue: Catalogue; block: string | undefined }) {
  const { t } = useTranslation("policies");
  const save = useSaveCatalogue();
  const [base, setBase] = useState(catalogue);
  const [content, setContent] = useState(() => contentOf(catalogue));
  const changed = JSON.stringify(content) !== JSON.stringify(contentOf(base));
  const begin = (from: Catalogue) => {
    setBase(from);
    setContent(contentOf(from));
    save.reset();
  };
  if (catalogue.version > base.version && !changed) begin(catalogue);
  const wrong = fieldErrors(save.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!changed || save.isPending) return;
    const onSuccess = (saved: Catalogue) => {
      begin(saved);
      toastDone(t("catalogue.saved"), t("catalogue.savedText", { count: saved.outdated }));
    };
    save.mutate({ revision: base.version, ...content }, { onSuccess });
  };
  const { sets, presets, geo_tokens: tokens } = content;
  const set = (some: Partial<typeof content>) => setContent((now) => ({ ...now, ...some }));
  return (
    <form className={classes.stack} onSubmit={submit}>
      {catalogue.version > base.version && (
        <div className={classes.flow} role="status">
          <span>{t("catalogue.newer", { number: catalogue.version })}</span>
          <Action onClick={() => begin(catalogue)}>{t("catalogue.takeNewer")}</Action>
        </div>
      )}
      <FormProblems error={save.error} />
      <Card
        title={t("catalogue.sets")}
        aside={base.version > 0 ? t("catalogue.version", { number: base.version }) : t("catalogue.none")}
      >
        <div className={classes.stack}>
          <p className="soft">{t("catalogue.help")}</p>
          {sets.map((one, at) => (
            <SetFields
              key={at}
              set={one}
              error={(field) => errorAt(wrong, `sets[${at}].${field}`)}
              block={block}
              onChange={(next) => set({ sets: replaced(sets, at, next) })}
              onRemove={() => set({ sets: without(sets, at) })}
            />
          ))}
          <Add block={block} onClick={() => set({ sets: [...sets, { name: "" }] })}>
            {t("catalogue.addSet")}
          </Add>
        </div>
      </Card>
      <Card title={t("catalogue.presets")}>
        <div className={classes.stack}>
          <p className="soft">{t("catalogue.presetsHelp")}</p>
          {presets.map((one, at) => (
            <PresetFields
              key={at}
              preset={one}
              error={errorAt(wrong, `presets[${at}]`)}
              block={block}
              onChange={(next) => set({ presets: replaced(presets, at, next) })}
              onRemove={() => set({ presets: without(presets, at) })}
            />
          ))}
          <Add block={block} onClick={() => set({ presets: [...presets, { name: "", protocol: "vless" }] })}>
            {t("catalogue.addPreset")}
          </Add>
        </div>
      </Card>
      <Card title={t("catalogue.tokens")}>
        <TagsInput
          size="md"
          label={t("catalogue.tokensLabel")}
          description={t("catalogue.tokensHelp")}
          disabled={block !== undefined}
          value={tokens}
          error={errorAt(wrong, "geo_tokens")}
          onChange={(geo_tokens) => set({ geo_tokens })}
        />
      </Card>
      <div className={classes.acts}>
        <Action
          kind="filled"
          type="submit"
          reason={block ?? (changed ? undefined : t("catalogue.unchanged"))}
          busy={save.isPending}
        >
          {t("catalogue.save")}
        </Action>
        <span className="soft">{t("catalogue.rollsNothingOut")}</span>
      </div>
    </form>
  );
}

function Add({ block, onClick, children }: { block: string | undefined; onClick: () => void; children: string }) {
  return (
    <div>
      <Action icon={IconPlus} reason={block} onClick={onClick}>
        {children}
      </Action>
    </div>
  );
}
