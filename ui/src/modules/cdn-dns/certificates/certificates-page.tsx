import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { IconUpload } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { Action } from "@/components/action/action";
import { useSearchState } from "@/components/screen/use-search";
import { viewState } from "@/components/state/states";
import { toastDone, toastProblem } from "@/components/state/toast";
import { DomainsHeader, useBlock } from "../header";
import { listState } from "../shared/pages";
import { budgetsQuery, certificatesQuery, useRenewCertificate, type Certificate } from "./api";
import { BudgetsCard } from "./budgets-card";
import { CertificateDrawer } from "./certificate-drawer";
import { CertificatesView } from "./certificates-view";
import { RemoveDialog } from "./remove-dialog";
import { UploadDialog } from "./upload-dialog";

const search = z.object({
  sort: z.enum(["name", "-name", "created_at", "-created_at"]).optional().catch(undefined),
  open: z.string().optional().catch(undefined),
});

export default function CertificatesPage() {
  const { t } = useTranslation("cdn-dns");
  const [{ sort, open }, setSearch] = useSearchState(search);
  const list = useInfiniteQuery(certificatesQuery(sort ?? "name"));
  const budgets = useQuery(budgetsQuery);
  const block = useBlock();
  const renew = useRenewCertificate();
  const [uploading, setUploading] = useState(false);
  const [removing, setRemoving] = useState<Certificate>();
  const acts = {
    block,
    onOpen: ({ id }: Certificate) => setSearch({ open: id }),
    onUpload: () => setUploading(true),
    onRemove: setRemoving,
    onRenew: ({ id, names }: Certificate) =>
      renew.mutate(id, {
        onSuccess: () => toastDone(t("certificates.ordered"), names.join(", ")),
        onError: (error) => toastProblem(t("certificates.orderFailed"), error),
      }),
  };
  return (
    <>
      <DomainsHeader
        current="certificates"
        closed={block}
        actions={
          <Action kind="filled" icon={IconUpload} onClick={acts.onUpload} reason={block}>
            {t("certificates.upload")}
          </Action>
        }
      />
      <CertificatesView
        state={listState(list)}
        sorting={{ value: sort ?? "name", onChange: (next) => setSearch({ sort: next as typeof sort }) }}
        acts={acts}
      />
      <BudgetsCard state={viewState(budgets)} />
      <CertificateDrawer id={open} acts={acts} onClose={() => setSearch({ open: undefined })} />
      {uploading && <UploadDialog onClose={() => setUploading(false)} />}
      {removing && (
        <RemoveDialog
          certificate={removing}
          onClose={() => setRemoving(undefined)}
          onRemoved={() => setSearch({ open: undefined })}
        />
      )}
    </>
  );
}
