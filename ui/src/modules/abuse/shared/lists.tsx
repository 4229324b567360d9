import { useTranslation } from "react-i18next";
import { Listing as AnyListing, type ListingProps } from "@/components/table/listing";

/** A table of a list of abuse protection. */
export function Listing<Row extends object>(table: Omit<ListingProps<Row>, "tried">) {
  const { t } = useTranslation("abuse");
  return <AnyListing {...table} tried={t("loadFailed")} />;
}
