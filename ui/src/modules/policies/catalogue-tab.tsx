import { TagsInput, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { fieldErrors } from "@/api/problem";
import { Action } from "@/components/action/action";
import { FormProblems } from "@/components/form/form-problems";
import { Card, Row, Rows } from "@/components/layout/card";
import { Skeleton, type ViewState } from "@/components/state/states";
import { ProblemView } from "@/components/state/problem-view";
import { toastDone, toastProblem } from "@/components/state/toast";
import { compilePlan, useSaveCatalogue, type Catalogue, type CatalogueSet, type Outdated } from "./api";
import classes from "./policies.module.css";

interface CatalogueTabProps {
  state: ViewState<Catalogue>;
  outdated: Outdated | undefined;
  block: string | undefined;
}

/** The newest catalogue, and the flows that run an older snapshot of it. */
export function CatalogueTab({ state, outdated, block }: CatalogueTabProps) {
  const { t } = useTranslation("policies");
  if (state.kind === "loading") return <Skeleton rows={6} />;
  if (state.kind === "error") return <ProblemView error={state.error} onRetry={state.retry} tried={t("loadFailed")} />;
  return (
    <div className={classes.stack}>
      {outdated && outdated.items.length > 0 && <OutdatedCard outdated={outdated} />}
      <CatalogueForm key={state.data.version} catalogue={state.data} block={block} />
    </div>
  );
}

/** Each flow that runs an older snapshot, with the way to the plan that brings the newest one. */
export function OutdatedCard({ outdated }: { outdated: Outdated }) {
  const { t } = useTranslation("policies");
  return (
    <Card title={t("outdated.title", { count: outdated.items.length })} aside={t("outdated.text")} flush>
      <Rows label={t("outdated.title", { count: outdated.items.length })}>
        {outdated.items.map((flow) => (
          <Row key={flow.flow_id} className={classes.flow}>
            <span>
              <Link to={`/flows/${flow.flow_id}`}>{flow.flow_name}</Link>{" "}
              <span className="soft">
                {t("outdated.flow", {
                  runs: flow.catalogue_version,
                  newest: outdated.newest,
                  sets: flow.changed_sets.join(", "),
                })}
              </span>
            </span>
            <ReviewPlan id={flow.flow_id} name={flow.flow_name} />
          </Row>
        ))}
      </Rows>
    </Card>
  );
}

function ReviewPlan({ id, name }: { id: string; name: string }) {
  const { t } = useTranslation("policies");
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const edit = useWriteBlock({ needs: "connection_units.edit", feature: "flows" });
  const install = useWriteBlock({ needs: "connection_units.apply", feature: "flows" });
  const review = async () => {
    setBusy(true);
    try {
      const plan = await compilePlan(id);
      void navigate({ to: `/flows/${id}/plans/${plan.id}` });
    } catch (error) {
      toastProblem(t("outdated.failed", { name }), error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Action
      busy={busy}
      reason={edit ?? install}
      onClick={() => void review()}
      aria-label={t("outdated.reviewNamed", { name })}
    >
      {t("outdated.review")}
    </Action>
  );
}

const lists = ["geosite", "geoip", "domain", "ip"] as const;

function CatalogueForm({ catalogue, block }: { catalogue: Catalogue; block: string | undefined }) {
  const { t } = useTranslation("policies");
  const save = useSaveCatalogue();
  const [sets, setSets] = useState(catalogue.sets);
  const [tokens, setTokens] = useState(catalogue.geo_tokens);
  const changed = JSON.stringify([sets, tokens]) !== JSON.stringify([catalogue.sets, catalogue.geo_tokens]);
  const wrong = fieldErrors(save.error);
  const put = (at: number, some: Partial<CatalogueSet>) =>
    setSets((now) => now.map((one, i) => (i === at ? { ...one, ...some } : one)));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!changed || save.isPending) return;
    save.mutate(
      { revision: catalogue.version, sets, presets: catalogue.presets, geo_tokens: tokens },
      { onSuccess: (saved) => toastDone(t("catalogue.saved"), t("catalogue.savedText", { count: saved.outdated })) },
    );
  };
  const errorOf = (at: number, list: string) =>
    Object.entries(wrong).find(([field]) => field.startsWith(`sets[${at}].${list}`))?.[1];
  return (
    <form className={classes.stack} onSubmit={submit}>
      <Card
        title={t("catalogue.sets")}
        aside={catalogue.version > 0 ? t("catalogue.version", { number: catalogue.version }) : t("catalogue.none")}
      >
        <div className={classes.stack}>
          <p className="soft">{t("catalogue.help")}</p>
          <FormProblems error={save.error} fields={{}} />
          {sets.map((set, at) => (
            <div key={at} className={classes.rule} role="group" aria-label={set.name || t("catalogue.newSet")}>
              <div className={classes.flow}>
                <TextInput
                  label={t("catalogue.name")}
                  value={set.name}
                  maxLength={40}
                  disabled={block !== undefined}
                  error={errorOf(at, "name")}
                  onChange={(event) => put(at, { name: event.currentTarget.value })}
                />
                <Action
                  iconOnly
                  icon={IconTrash}
                  reason={block}
                  onClick={() => setSets((now) => now.filter((_, i) => i !== at))}
                >
                  {t("catalogue.removeSet", { name: set.name })}
                </Action>
              </div>
              <div className={classes.pair}>
                {lists.map((list) => (
                  <TagsInput
                    key={list}
                    label={t(`catalogue.${list}`)}
                    disabled={block !== undefined}
                    value={set[list] ?? []}
                    error={errorOf(at, list)}
                    onChange={(values) => put(at, { [list]: values })}
                  />
                ))}
              </div>
            </div>
          ))}
          <div>
            <Action icon={IconPlus} reason={block} onClick={() => setSets((now) => [...now, { name: "" }])}>
              {t("catalogue.addSet")}
            </Action>
          </div>
          <TagsInput
            label={t("catalogue.tokens")}
            description={t("catalogue.tokensHelp")}
            disabled={block !== undefined}
            value={tokens}
            error={wrong.geo_tokens}
            onChange={setTokens}
          />
        </div>
      </Card>
      <div className={classes.acts}>
        <Action kind="filled" type="submit" reason={block ?? (changed ? undefined : t("catalogue.unchanged"))} busy={save.isPending}>
          {t("catalogue.save")}
        </Action>
        <span className="soft">{t("catalogue.rollsNothingOut")}</span>
      </div>
    </form>
  );
}
