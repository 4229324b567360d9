import { Progress, Select } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Segmented } from "@/components/form/segmented";
import { usePhone } from "@/components/screen/use-phone";
import { viewState } from "@/components/state/states";
import { resultsQuery, type Result, type Search, type Suitability } from "./api";
import { ResultDialog } from "./result-dialog";
import { ResultsView, type Use } from "./results-view";
import classes from "./targets.module.css";

type Shown = Suitability | "all";

const shownChoices: readonly Shown[] = ["all", "suitable", "acceptable", "unsuitable", "unknown"];

/** How far a search is, and its results; `use` takes one of them. */
export function Found({ search, use }: { search: Search; use?: Use }) {
  const { t } = useTranslation("targets");
  const [sort, setSort] = useState("-score");
  const [shown, setShown] = useState<Shown>("all");
  const [open, setOpen] = useState<Result>();
  const list = useInfiniteQuery(resultsQuery(search.id, sort, shown === "all" ? undefined : shown));
  return (
    <section className={classes.found} aria-label={t("results")}>
      <SearchProgress search={search} />
      <Filter shown={shown} onShown={setShown} />
      <ResultsView
        state={viewState(list)}
        running={search.state === "running"}
        filtered={shown !== "all"}
        sorting={{ value: sort, onChange: setSort }}
        more={list.hasNextPage ? { load: () => void list.fetchNextPage(), busy: list.isFetchingNextPage } : undefined}
        use={use}
        onOpen={setOpen}
      />
      <ResultDialog result={open} use={use} onClose={() => setOpen(undefined)} />
    </section>
  );
}

/** All choices at once where they stand in one line. */
function Filter({ shown, onShown }: { shown: Shown; onShown: (shown: Shown) => void }) {
  const { t } = useTranslation("targets");
  const phone = usePhone();
  const options = shownChoices.map((value) => ({ value, label: t(`suitability.${value}`) }));
  const label = t("columns.suitability");
  if (phone)
    return (
      <Select
        aria-label={label}
        data={options}
        value={shown}
        allowDeselect={false}
        onChange={(value) => onShown((value ?? "all") as Shown)}
      />
    );
  return (
    <div className={classes.filter}>
      <Segmented<Shown> label={label} value={shown} onChange={onShown} options={options} />
    </div>
  );
}

function SearchProgress({ search }: { search: Search }) {
  const { t } = useTranslation("targets");
  const said = t("progress", { scanned: search.scanned, total: search.total, found: search.found });
  return (
    <div className={classes.progress}>
      {search.state === "running" && (
        <Progress value={(100 * search.scanned) / Math.max(1, search.total)} aria-label={t("columns.scanned")} />
      )}
      <p className="soft" aria-live="polite">
        {search.state === "failed" ? t(`reason.${search.reason ?? "agent_failed"}`) : said}
      </p>
    </div>
  );
}
