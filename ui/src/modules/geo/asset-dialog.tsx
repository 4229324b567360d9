import { FormModal } from "@/components/form/form-modal";
import { useTranslation } from "react-i18next";
import type { Asset } from "./api";
import { AssetForm } from "./asset-form";

interface AssetDialogProps {
  /** Left out for a new one. */
  asset?: Asset | undefined;
  onClose: () => void;
}

/** Adds a file or changes where it comes from and when. Draw it only while it is open. */
export function AssetDialog({ asset, onClose }: AssetDialogProps) {
  const { t } = useTranslation("geo");
  const title = asset ? t("form.changeTitle", { name: asset.name }) : t("form.addTitle");
  return (
    <FormModal opened onClose={onClose} title={title} size="lg">
      <AssetForm asset={asset} onClose={onClose} />
    </FormModal>
  );
}
