import { Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconWorld } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Card, Row, Rows } from "@/components/layout/card";
import { Confirm } from "@/components/dialog/confirm";
import { CopyButton } from "@/components/action/copy-button";
import { FormProblems } from "@/components/form/form-problems";
import { useLeaveGuard } from "@/components/form/use-leave-guard";
import { ProblemNote, ProblemView } from "@/components/state/problem-view";
import { EmptyState, Skeleton, viewState } from "@/components/state/states";
import { fieldErrors, isProblem } from "@/api/problem";
import { useCdnAccounts } from "@/api/cdn-accounts";
import { DomainFacts } from "./domain-facts";
import { domainsQuery, useAddDomain, useRemoveDomain } from "../shared/api";
import classes from "./node.module.css";
import type { NodeDetail, NodeDomain } from "../shared/types";

export function DomainsTab({ node, block }: { node: NodeDetail; block: string | undefined }) {
  const { t } = useTranslation("nodes");
  const state = viewState(useQuery(domainsQuery(node.id)));
  const [removing, setRemoving] = useState<NodeDomain>();
  const remove = useRemoveDomain(node.id);
  return (
    <div className={classes.stack}>
      <Card title={t("domains.title")} aside={t("domains.lead")} flush>
        {state.kind === "loading" && <Skeleton rows={3} />}
        {state.kind === "error" && <ProblemView error={state.error} onRetry={state.retry} />}
        {state.kind === "ready" &&
          (state.data.items.length === 0 ? (
            <EmptyState icon={IconWorld} title={t("domains.none")}>
              {t("domains.noneText")}
            </EmptyState>
          ) : (
            <Rows label={t("domains.title")}>
              {state.data.items.map((domain) => (
                <Row key={domain.id}>
                  <div className={classes.domain}>
                    <span className={classes.hostname}>
                      <Link to="/domains" search={{ open: domain.id }} className="mono">
                        {domain.hostname}
                      </Link>
                      <CopyButton value={domain.hostname} what={t("domains.host")} />
                      <span className={classes.push}>
                        <Action
                          size="bar"
                          kind="danger"
                          reason={block ?? (domain.used_by_flows.length > 0 ? t("domains.takeOut") : undefined)}
                          onClick={() => setRemoving(domain)}
                          aria-label={t("domains.removeOf", { name: domain.hostname })}
                        >
                          {t("domains.remove")}
                        </Action>
                      </span>
                    </span>
                    <DomainFacts domain={domain} />
                  </div>
                </Row>
              ))}
            </Rows>
          ))}
      </Card>
      <AddDomain node={node} block={block} />
      <Confirm
        opened={removing !== undefined}
        onClose={() => setRemoving(undefined)}
        onConfirm={() => removing && remove.mutate(removing.id, { onSuccess: () => setRemoving(undefined) })}
        busy={remove.isPending}
        error={remove.error}
        title={t("domains.removeTitle", { name: removing?.hostname })}
        verb={t("domains.remove")}
        consequences={[t("domains.removeFlows")]}
      />
    </div>
  );
}

type Mode = NodeDomain["mode"];

const modes: Mode[] = ["direct", "cdn", "relay", "reality_sni", "static_site"];

function AddDomain({ node, block }: { node: NodeDetail; block: string | undefined }) {
  const { t } = useTranslation("nodes");
  const add = useAddDomain(node.id);
  const [zone, setZone] = useState("");
  const [label, setLabel] = useState("");
  const [mode, setMode] = useState<Mode>("direct");
  const [cdn, setCdn] = useState("");
  const accounts = useCdnAccounts(mode === "cdn");
  const server = fieldErrors(add.error);
  const bound = add.isSuccess ? add.variables.zone : "";
  useLeaveGuard(!add.isPending && (label !== "" || zone.trim() !== bound));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (block || !zone.trim() || add.isPending) return;
    add.mutate(
      {
        zone: zone.trim(),
        mode,
        ...(label.trim() ? { label: label.trim() } : {}),
        ...(mode === "cdn" && cdn ? { cdn_integration_id: cdn } : {}),
      },
      { onSuccess: () => setLabel("") },
    );
  };
  return (
    <Card title={t("domains.add")}>
      <form className={classes.inline} onSubmit={submit} noValidate>
        <TextInput
          label={t("domains.label")}
          description={t("domains.labelHelp")}
          placeholder={node.name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, "-")}
          value={label}
          onChange={(event) => setLabel(event.currentTarget.value)}
          error={server.label}
        />
        <TextInput
          label={t("domains.zone")}
          description={t("domains.zoneHelp")}
          placeholder="example.net"
          value={zone}
          onChange={(event) => setZone(event.currentTarget.value)}
          error={server.zone}
        />
        <Select
          label={t("domains.mode")}
          description={t("domains.modeHelp")}
          data={modes.map((value) => ({ value, label: t(`domainMode.${value}`) }))}
          value={mode}
          onChange={(value) => value && setMode(value as Mode)}
          allowDeselect={false}
        />
        {mode === "cdn" && accounts.length > 0 && (
          <Select
            label={t("domains.network")}
            description={t("domains.networkHelp")}
            data={[
              { value: "", label: t("domains.ownNetwork") },
              ...accounts.map(({ id, label: name }) => ({ value: id, label: name })),
            ]}
            value={cdn}
            onChange={(value) => setCdn(value ?? "")}
            allowDeselect={false}
            error={server.cdn_integration_id}
          />
        )}
        <Action type="submit" busy={add.isPending} reason={block}>
          {t("domains.bind")}
        </Action>
      </form>
      {add.error && (
        <div className={classes.refused}>
          {isProblem(add.error, "domain_conflict") ? (
            <ProblemNote error={add.error}>{t("domains.taken")}</ProblemNote>
          ) : (
            <FormProblems error={add.error} fields={{ zone: "zone", label: "label" }} />
          )}
        </div>
      )}
    </Card>
  );
}
