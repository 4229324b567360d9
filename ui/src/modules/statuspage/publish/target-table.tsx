import { Menu } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { RowMenu } from "@/components/action/row-menu";
import { Confirm } from "@/components/dialog/confirm";
import { toastDone, toastFailed, toastProblem } from "@/components/state/toast";
import { DataTable, type Column } from "@/components/table/data-table";
import { useTableLook } from "@/components/table/use-table-look";
import { RelativeTime } from "@/components/text/relative-time";
import { useChangeTarget, useRemoveTarget, useTestTarget, type Target } from "../api";
import { TargetStatus } from "../shared/states";
import classes from "../statuspage.module.css";

interface TargetTableProps {
  targets: Target[];
  block: string | undefined;
  onEdit: (target: Target) => void;
}

/** The places where a page is served, with what readers find there. */
export function TargetTable({ targets, block, onEdit }: TargetTableProps) {
  const { t } = useTranslation("statuspage");
  const [removing, setRemoving] = useState<Target>();
  return (
    <>
      <DataTable
        label={t("targets.title")}
        rows={targets}
        total={targets.length}
        columns={useColumns()}
        look={useTableLook("statuspage-targets")}
        rowId={({ id }) => id}
        rowName={({ label }) => label}
        rowHeight="two"
        menu={(target) => <TargetMenu target={target} block={block} onEdit={onEdit} onRemove={setRemoving} />}
        phone={(target) => (
          <>
            <span className="strong">{target.label}</span>
            <span className={classes.phone}>
              <TargetStatus target={target} /> <Address target={target} />
            </span>
          </>
        )}
      />
      {removing && <RemoveTarget target={removing} onClose={() => setRemoving(undefined)} />}
    </>
  );
}

interface TargetMenuProps {
  target: Target;
  block: string | undefined;
  onEdit: (target: Target) => void;
  onRemove: (target: Target) => void;
}

function TargetMenu({ target, block, onEdit, onRemove }: TargetMenuProps) {
  const { t } = useTranslation("statuspage");
  const test = useTestTarget();
  const change = useChangeTarget();
  const closed = { disabled: block !== undefined, title: block };
  const tryIt = () =>
    test.mutate(target.id, {
      onSuccess: ({ ok, message }) =>
        ok ? toastDone(t("targets.works", { name: target.label })) : toastFailed(t("targets.fails"), message),
      onError: (error) => toastProblem(t("targets.fails"), error),
    });
  const flip = () =>
    change.mutate(
      { id: target.id, enabled: !target.enabled },
      { onError: (error) => toastProblem(t("targets.changeFailed"), error) },
    );
  return (
    <RowMenu name={target.label}>
      <Menu.Item {...closed} onClick={tryIt}>
        {t("targets.test")}
      </Menu.Item>
      <Menu.Item {...closed} onClick={() => onEdit(target)}>
        {t("targets.change")}
      </Menu.Item>
      <Menu.Item {...closed} onClick={flip}>
        {t(target.enabled ? "targets.stop" : "targets.resume")}
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item {...closed} color="red" onClick={() => onRemove(target)}>
        {t("targets.remove.menu")}
      </Menu.Item>
    </RowMenu>
  );
}

function RemoveTarget({ target, onClose }: { target: Target; onClose: () => void }) {
  const { t } = useTranslation("statuspage");
  const remove = useRemoveTarget();
  return (
    <Confirm
      opened
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(target.id, {
          onSuccess: () => {
            toastDone(t("targets.remove.done", { name: target.label }));
            onClose();
          },
        })
      }
      title={t("targets.remove.title", { name: target.label })}
      verb={t("targets.remove.verb")}
      busy={remove.isPending}
      error={remove.error}
      consequences={[t("targets.remove.stays")]}
    />
  );
}

function Address({ target }: { target: Target }) {
  if (target.address === "") return <span className="dim">—</span>;
  return (
    <a href={target.address} target="_blank" rel="noreferrer" className={classes.cut}>
      {target.address}
    </a>
  );
}

function useColumns(): Column<Target>[] {
  const { t } = useTranslation("statuspage");
  return [
    {
      key: "label",
      head: t("targets.head.label"),
      cell: ({ label, kind }) => (
        <span className={classes.two}>
          <span className="strong">{label}</span>
          <span className={classes.second}>{t(`kind.${kind}`)}</span>
        </span>
      ),
    },
    {
      key: "state",
      head: t("targets.head.state"),
      width: 220,
      cell: (target) => (
        <span className={classes.two}>
          <TargetStatus target={target} inTable />
          {target.error !== "" && (
            <span className={classes.bad} title={target.error}>
              {target.error}
            </span>
          )}
        </span>
      ),
    },
    {
      key: "address",
      head: t("targets.head.address"),
      width: 300,
      drop: 2,
      cell: (target) => <Address target={target} />,
    },
    {
      key: "data",
      head: t("targets.head.data"),
      width: 140,
      drop: 1,
      cell: ({ data_at: at }) =>
        at === null ? <span className="dim">{t("targets.noData")}</span> : <RelativeTime at={at} />,
    },
  ];
}
