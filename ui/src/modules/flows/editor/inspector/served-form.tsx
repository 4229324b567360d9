import { MultiSelect, Select, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Block } from "../../drawing/drawing";
import { setField } from "../../drawing/drawing-edits";
import { useProxyPanels, useSquads } from "../../shared/proxy-panels";
import { useEditor } from "../editor-context";
import { FormSection, useFieldProblem } from "./field";
import classes from "./form.module.css";

const path = "params.proxypanel";
const mostSquads = 20;

/** Who serves an entry: our own agent, or the node of a proxy panel to users of some squads there. */
export function ServedForm({ block }: { block: Block }) {
  const { t } = useTranslation("flows");
  const { set, shared } = useServed(block);
  const panels = useProxyPanels(true);
  const chosen = block.params?.proxypanel?.connection_id;
  if (!chosen && !panels?.length) return null;
  const options = (panels ?? []).map(({ id, label }) => ({ value: id, label }));
  if (chosen && !options.some(({ value }) => value === chosen))
    options.unshift({ value: chosen, label: panels ? t("served.panelGone") : t("served.somePanel") });
  return (
    <FormSection title={t("served.title")}>
      <Select
        className={classes.wide}
        label={t("served.who")}
        description={chosen ? t("served.help") : undefined}
        data={[{ value: "", label: t("served.agent") }, ...options]}
        value={chosen ?? ""}
        allowDeselect={false}
        onChange={(value) =>
          value !== (chosen ?? "") && set("", value ? { connection_id: value, squad_ids: [] } : undefined)
        }
        {...shared(".connection_id")}
      />
      {chosen && <OfferFields block={block} connectionId={chosen} />}
    </FormSection>
  );
}

function OfferFields({ block, connectionId }: { block: Block; connectionId: string }) {
  const { t } = useTranslation("flows");
  const { set, shared } = useServed(block);
  const { flow } = useEditor();
  const squads = useSquads(connectionId);
  const { squad_ids: chosen = [], remark = "" } = block.params?.proxypanel ?? {};
  const options = (squads ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const gone = chosen.filter((id) => !options.some(({ value }) => value === id));
  return (
    <>
      <MultiSelect
        className={classes.wide}
        label={t("served.squads")}
        placeholder={chosen.length === 0 ? t("field.choose") : undefined}
        searchable
        nothingFoundMessage={t("served.noSquad")}
        maxValues={mostSquads}
        data={[...options, ...gone.map((value) => ({ value, label: squads ? t("served.squadGone") : "…" }))]}
        value={chosen}
        onChange={(value) => set(".squad_ids", value)}
        {...shared(".squad_ids")}
      />
      <TextInput
        className={classes.wide}
        label={t("served.remark")}
        placeholder={flow.name}
        maxLength={100}
        value={remark}
        onChange={(event) => set(".remark", event.currentTarget.value || undefined)}
        {...shared(".remark")}
      />
    </>
  );
}

function useServed(block: Block) {
  const { store, closed } = useEditor();
  const problem = useFieldProblem({ block: block.key });
  return {
    set: (field: string, value: unknown) =>
      store.getState().edit((drawing) => setField(drawing, block.key, `${path}${field}`, value)),
    shared: (field: string) => ({
      "data-field": `${path}${field}`,
      error: problem(`${path}${field}`),
      disabled: closed !== undefined,
    }),
  };
}
