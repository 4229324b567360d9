import { useInfiniteQuery } from "@tanstack/react-query";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Action } from "@/components/action/action";
import { Confirm } from "@/components/dialog/confirm";
import { viewState } from "@/components/state/states";
import { HealthHeader, useBlock } from "../header";
import { policiesQuery, type Policy } from "../shared/policies";
import { useRemovePolicy } from "./api";
import { PoliciesView } from "./policies-view";
import { PolicyDialog } from "./policy-dialog";

type Open = { act: "new" } | { act: "edit" | "remove"; policy: Policy };

/** By which rules nodes and flows are watched and judged. */
export default function PoliciesPage() {
  const { t } = useTranslation("health");
  const list = useInfiniteQuery(policiesQuery);
  const state = viewState(list);
  const block = useBlock();
  const remove = useRemovePolicy();
  const [open, setOpen] = useState<Open>();
  const close = () => {
    setOpen(undefined);
    remove.reset();
  };
  const like = list.data?.items.find((policy) => policy.default);
  return (
    <>
      <HealthHeader
        current="policies"
        closed={block}
        actions={
          <Action kind="filled" icon={IconPlus} reason={block} onClick={() => setOpen({ act: "new" })}>
            {t("policy.add")}
          </Action>
        }
      />
      <PoliciesView
        state={state}
        block={block}
        more={list.hasNextPage ? { load: () => void list.fetchNextPage(), busy: list.isFetchingNextPage } : undefined}
        onEdit={(policy) => setOpen({ act: "edit", policy })}
        onRemove={(policy) => setOpen({ act: "remove", policy })}
      />
      {open?.act === "new" && <PolicyDialog like={like} onClose={close} />}
      {open?.act === "edit" && <PolicyDialog policy={open.policy} onClose={close} />}
      <Confirm
        opened={open?.act === "remove"}
        onClose={close}
        onConfirm={() => open?.act === "remove" && remove.mutate(open.policy.id, { onSuccess: close })}
        title={t("policy.removeTitle", { name: open?.act === "remove" ? open.policy.name : "" })}
        verb={t("policy.remove")}
        busy={remove.isPending}
        error={remove.error}
      >
        {t("policy.removeText")}
      </Confirm>
    </>
  );
}
