import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Status } from "@/components/status/status";
import { Carried, isFresh, sumOf } from "@/components/text/carried";
import { trafficQuery, type Flow } from "../shared/api";
import { serves } from "../shared/states";
import classes from "./editor.module.css";

/** What clients send and get through the installed version now, and how many of its entries that leaves out. */
export function FlowLoad({ flow }: { flow: Flow }) {
  const { t } = useTranslation("flows");
  const traffic = useQuery({ ...trafficQuery(flow.id), enabled: serves(flow) }).data;
  if (!traffic || !serves(flow)) return null;
  const { entries, stale_after_s: staleAfter } = traffic;
  const measured = entries.filter((entry) => entry.observed_at !== null);
  const fresh = measured.filter((entry) => isFresh(entry, Date.parse(traffic.at), staleAfter));
  const [silent, of] = [measured.length - fresh.length, entries.length];
  return (
    <span className={classes.load}>
      <Carried load={sumOf(fresh.length > 0 ? fresh : measured)} staleAfter={staleAfter} />
      {silent > 0 && fresh.length > 0 && <Status kind="no-data">{t("load.silent", { silent, of })}</Status>}
    </span>
  );
}
