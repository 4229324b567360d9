import { useQuery } from "@tanstack/react-query";
import { IconRefresh, IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useWriteBlock } from "@/api/access";
import { Action } from "@/components/action/action";
import { FormModal } from "@/components/form/form-modal";
import { ProblemNote } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import type { TargetPickerProps } from "@/module";
import { searchQuery, useCheck, type Result } from "./api";
import { Found } from "./found";
import { SearchForm } from "./search-form";
import classes from "./targets.module.css";

/** Finds a REALITY target for a listener without leaving the drawing, or looks again at the one that it has. */
export default function FindTarget({ nodeId, target, serverName, reason, onUse }: TargetPickerProps) {
  const { t } = useTranslation("targets");
  const block = useWriteBlock({ needs: "connection_units.edit", feature: "flows" });
  const check = useCheck();
  const [open, setOpen] = useState(false);
  const [searchId, setSearchId] = useState<string>();
  const closed = reason ?? block ?? (nodeId ? undefined : t("use.noNode"));
  const use = {
    reason: closed,
    take: (result: Result) => {
      onUse({ target: result.target, serverName: result.sni, resultId: result.id });
      setOpen(false);
    },
  };
  const begin = () => {
    setSearchId(undefined);
    check.reset();
    setOpen(true);
  };
  const checkAgain = () => {
    begin();
    const named = serverName && serverName !== hostOf(target!) ? { sni: serverName } : {};
    check.mutate({ node_id: nodeId!, target: target!, ...named }, { onSuccess: ({ id }) => setSearchId(id) });
  };
  return (
    <div className={classes.acts}>
      <Action kind="link" icon={IconSearch} reason={closed} onClick={begin}>
        {t("find")}
      </Action>
      {target && (
        <Action kind="link" icon={IconRefresh} reason={closed} onClick={checkAgain}>
          {t("check")}
        </Action>
      )}
      <FormModal opened={open} onClose={() => setOpen(false)} title={t("find")} size="xl">
        {open && (
          <div className={classes.found}>
            {check.error && <ProblemNote error={check.error} />}
            {searchId ? (
              <Followed id={searchId} use={use} onAgain={begin} />
            ) : check.isPending ? (
              <Skeleton rows={4} />
            ) : (
              <SearchForm nodeId={nodeId} onStarted={({ id }) => setSearchId(id)} />
            )}
          </div>
        )}
      </FormModal>
    </div>
  );
}

function Followed({ id, use, onAgain }: { id: string; use: Parameters<typeof Found>[0]["use"]; onAgain: () => void }) {
  const { t } = useTranslation("targets");
  const search = useQuery(searchQuery(id)).data;
  if (!search) return <Skeleton rows={4} />;
  return (
    <>
      <Found search={search} use={use} />
      <div className={classes.acts}>
        <Action onClick={onAgain}>{t("again")}</Action>
      </div>
    </>
  );
}

function hostOf(target: string): string {
  return target.replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
}
