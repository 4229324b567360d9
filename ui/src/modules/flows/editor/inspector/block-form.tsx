import { Switch, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Block } from "../../drawing/drawing";
import { needsServer } from "../../drawing/drawing";
import { setField } from "../../drawing/drawing-edits";
import { DomainSelect } from "../../shared/domain-select";
import { NodeSelect } from "../../shared/node-select";
import { PlanSelect } from "../../shared/plan-select";
import { PoolSelect } from "../../shared/pool-select";
import { useEditor, usePlaces } from "../editor-context";
import { BindDomain } from "./bind-domain";
import { FieldCalls, FormSection, useFieldProblem } from "./field";
import classes from "./form.module.css";
import { ListenerForm } from "./listener-form";
import { ServedForm } from "./served-form";
import { WaysForm } from "./ways-form";

/** Every setting of a block. The canvas shows it in its side panel, the outline in place. */
export function BlockForm({ block, ways = true }: { block: Block; ways?: boolean }) {
  const { t } = useTranslation("flows");
  const { flow, store, closed } = useEditor();
  const problem = useFieldProblem({ block: block.key });
  const set = (field: string, value: unknown) =>
    store.getState().edit((drawing) => setField(drawing, block.key, field, value));
  const shared = (field: string) => ({ "data-field": field, error: problem(field), disabled: closed !== undefined });
  const decidesPrivate = block.kind === "exit" || block.kind === "direct";
  return (
    <FieldCalls className={classes.form}>
      {needsServer(block.kind) && (
        <ServerField block={block} {...shared("node_id")} onChange={(value) => set("node_id", value)} />
      )}
      {block.kind === "transit_pool" && (
        <PoolSelect
          label={t("field.pool_id")}
          value={block.pool_id ?? null}
          onChange={(value) => set("pool_id", value)}
          {...shared("pool_id")}
        />
      )}
      {block.kind === "custom" && (
        <PlanSelect
          className={classes.wide}
          label={t("field.plan_version_id")}
          flowId={flow.id}
          value={block.plan_version_id ?? null}
          onChange={(value) => set("plan_version_id", value)}
          {...shared("plan_version_id")}
        />
      )}
      {block.kind === "entry" && (
        <DomainField block={block} {...shared("node_domain_id")} onChange={(value) => set("node_domain_id", value)} />
      )}
      {block.kind === "entry" && block.node_id && (
        <BindDomain nodeId={block.node_id} onBound={(id) => set("node_domain_id", id)} />
      )}
      <TextInput
        label={t("field.title")}
        placeholder={t("field.titleHint")}
        value={block.title ?? ""}
        maxLength={64}
        onChange={(event) => set("title", event.currentTarget.value)}
        {...shared("title")}
      />
      {problem("kind") && <p className={classes.error}>{problem("kind")}</p>}
      {block.kind === "entry" && <ServedForm block={block} />}
      {block.kind === "entry" && <ListenerForm block={block} path="params.listener" />}
      {decidesPrivate && (
        <FormSection title={t("private.title")}>
          <Switch
            className={classes.wide}
            label={t("private.allow")}
            description={t("private.help")}
            checked={block.params?.private === "allow"}
            onChange={(event) => set("params.private", event.currentTarget.checked ? "allow" : undefined)}
            {...shared("params.private")}
          />
        </FormSection>
      )}
      {["exit", "transit", "transit_pool"].includes(block.kind) && <HopSection block={block} />}
      {ways && ["entry", "transit", "transit_pool"].includes(block.kind) && (
        <FormSection title={t("ways.title")}>
          <WaysForm blockKey={block.key} />
        </FormSection>
      )}
    </FieldCalls>
  );
}

interface FieldProps {
  block: Block;
  error: string | undefined;
  disabled: boolean;
  "data-field": string;
  onChange: (value: string | null) => void;
}

function ServerField({ block, onChange, ...shared }: FieldProps) {
  const { t } = useTranslation("flows");
  if (usePlaces().hidden)
    return (
      <TextInput
        label={t("field.node_id")}
        description={t("field.nodeHidden")}
        value={block.node_id ?? ""}
        onChange={(event) => onChange(event.currentTarget.value)}
        {...shared}
      />
    );
  return <NodeSelect label={t("field.node_id")} value={block.node_id ?? null} onChange={onChange} {...shared} />;
}

function DomainField({ block, onChange, ...shared }: FieldProps) {
  const { t } = useTranslation("flows");
  const { flow } = useEditor();
  return (
    <DomainSelect
      className={classes.wide}
      label={t("field.node_domain_id")}
      nodeId={block.node_id}
      owner={flow.owner_id}
      value={block.node_domain_id ?? null}
      onChange={onChange}
      {...shared}
    />
  );
}

function HopSection({ block }: { block: Block }) {
  const { t } = useTranslation("flows");
  const { store, closed } = useEditor();
  const problem = useFieldProblem({ block: block.key });
  const own = block.params?.hop !== undefined;
  const choose = (checked: boolean) =>
    store
      .getState()
      .edit((drawing) =>
        setField(drawing, block.key, "params.hop", checked ? { protocol: "shadowsocks2022" } : undefined),
      );
  return (
    <>
      <FormSection title={t("hop.title")}>
        <Switch
          className={classes.wide}
          label={t("hop.own")}
          description={t("hop.help")}
          checked={own}
          disabled={closed !== undefined}
          error={own ? undefined : problem("params.hop")}
          onChange={(event) => choose(event.currentTarget.checked)}
        />
      </FormSection>
      {own && <ListenerForm block={block} path="params.hop" />}
    </>
  );
}
