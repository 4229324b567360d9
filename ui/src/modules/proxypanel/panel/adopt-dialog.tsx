import { Checkbox, Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { isProblem } from "@/api/problem";
import { Confirm } from "@/components/dialog/confirm";
import { toastDone } from "@/components/state/toast";
import classes from "../proxypanel.module.css";
import { fleetQuery, useAdopt, useRelease, type MappedNode } from "./api";

interface DialogProps {
  connectionId: string;
  node: MappedNode;
  onClose: () => void;
}

/** Says which node of the fleet a node of the proxy panel is. Nothing changes there by it. */
export function AdoptDialog({ connectionId, node, onClose }: DialogProps) {
  const { t } = useTranslation("proxypanel");
  const adopt = useAdopt(connectionId);
  const [ours, setOurs] = useState(node.proposal?.node_id ?? null);
  const [replace, setReplace] = useState(false);
  const serves = node.runs !== "";
  const waits = ours === null ? t("adopt.chooseFirst") : serves && !replace ? t("adopt.replaceFirst") : undefined;
  const done = () => {
    toastDone(t("adopt.done", { name: node.name }));
    onClose();
  };
  return (
    <Confirm
      opened
      danger={false}
      onClose={onClose}
      onConfirm={() =>
        ours !== null &&
        adopt.mutate({ panel_node_id: node.panel_node_id, node_id: ours, replace }, { onSuccess: done })
      }
      title={t("adopt.title", { name: node.name })}
      verb={t("adopt.verb")}
      waits={waits}
      busy={adopt.isPending}
      error={adopt.error}
      consequences={[t("adopt.nothingYet"), t("adopt.then"), t("adopt.back")]}
    >
      <div className={classes.fields}>
        <FleetSelect value={ours} proposal={node.proposal} onChange={setOurs} />
        {serves && (
          <Checkbox
            checked={replace}
            onChange={(event) => setReplace(event.currentTarget.checked)}
            label={t("adopt.replace", { name: node.runs })}
            description={t("adopt.replaceHelp")}
          />
        )}
      </div>
    </Confirm>
  );
}

interface FleetSelectProps {
  value: string | null;
  proposal: MappedNode["proposal"];
  onChange: (id: string | null) => void;
}

/** A node of the fleet by a part of its name; the panel searches. */
function FleetSelect({ value, proposal, onChange }: FleetSelectProps) {
  const { t } = useTranslation("proxypanel");
  const [text, setText] = useState("");
  const [q] = useDebouncedValue(text.trim(), 200);
  const known = useQuery(fleetQuery("")).data?.items ?? [];
  const found = useQuery(fleetQuery(q)).data?.items ?? [];
  const options = new Map([...found, ...known].map(({ id, name }) => [id, name]));
  if (proposal) options.set(proposal.node_id, proposal.node_name);
  return (
    <Select
      label={t("adopt.ours")}
      description={proposal ? t("adopt.oursProposed") : t("adopt.oursHelp")}
      placeholder={t("adopt.choose")}
      searchable
      nothingFoundMessage={t("adopt.noNode")}
      data={[...options].map(([id, name]) => ({ value: id, label: name }))}
      value={value}
      onChange={onChange}
      searchValue={text}
      onSearchChange={setText}
    />
  );
}

/** Takes a node of the proxy panel back from the fleet. */
export function ReleaseDialog({ connectionId, node, onClose }: DialogProps) {
  const { t } = useTranslation("proxypanel");
  const release = useRelease(connectionId);
  const done = () => {
    toastDone(t("release.done", { name: node.name }));
    onClose();
  };
  const gone = isProblem(release.error, "not_found");
  return (
    <Confirm
      opened
      danger={false}
      onClose={onClose}
      onConfirm={() => release.mutate(node.panel_node_id, { onSuccess: done })}
      title={t("release.title", { name: node.name })}
      verb={t("release.verb")}
      busy={release.isPending}
      error={gone ? undefined : release.error}
      consequences={[t("release.stays"), t("release.noFlows")]}
    />
  );
}
