import { Progress } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Segmented } from "@/components/form/segmented";
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
      <div className={classes.filter}>
        <Segmented<Shown>
          label={t("columns.suitability")}
          value={shown}
          onChange={setShown}
          options={shownChoices.map((value) => ({ value, label: t(`suitability.${value}`) }))}
        />
      </div>
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
