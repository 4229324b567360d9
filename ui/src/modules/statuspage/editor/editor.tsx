import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors, isProblem } from "@/api/problem";
import { ConflictNote } from "@/components/form/conflict-note";
import { FormProblems } from "@/components/form/form-problems";
import { SaveBar } from "@/components/form/save-bar";
import { toastDone } from "@/components/state/toast";
import { useSavePage, type Page } from "../api";
import { localText } from "../shared/localised";
import classes from "../statuspage.module.css";
import { AnnouncementsCard } from "./announcements-card";
import { AutoCard } from "./auto-card";
import { BasicsCard } from "./basics-card";
import { ComponentsCard } from "./components-card";
import { changedFields, draftOf, partsOf, type CardProps } from "./draft";
import { LookCard } from "./look-card";
import { Preview } from "./preview";

/** Edits a page. What somebody else saves meanwhile takes nothing typed away. */
export function Editor({ page, block }: { page: Page; block: string | undefined }) {
  const { t } = useTranslation("statuspage");
  const save = useSavePage();
  const [base, setBase] = useState(page);
  const [draft, setDraft] = useState(() => draftOf(page));
  const changed = changedFields(draft, base);
  const unsaved = useMemo(() => partsOf(draft, base), [draft, base]);
  const begin = (from: Page) => {
    setBase(from);
    setDraft(draftOf(from));
    save.reset();
  };
  // Newer readings come in as long as nothing is typed; the states of components move without a revision.
  if (page !== base && changed.length === 0 && !save.isPending) begin(page);
  const send = (from: Page) =>
    save.mutate(
      { page: from, ...partsOf(draft, from) },
      {
        onSuccess: (saved) => {
          begin(saved);
          toastDone(t("saved"), localText(saved.titles, saved.default_locale));
        },
      },
    );
  const conflict = isProblem(save.error, "revision_conflict");
  const card: CardProps = {
    draft,
    set: (some) => setDraft((now) => ({ ...now, ...some })),
    block,
    wrong: fieldErrors(save.error),
  };
  return (
    <>
      <div className={classes.editor}>
        <div className={classes.stack}>
          {conflict && <ConflictNote onTheirs={() => begin(page)} onMine={() => send(page)} busy={save.isPending} />}
          {save.error !== null && !conflict && <FormProblems error={save.error} />}
          <BasicsCard {...card} />
          <ComponentsCard {...card} pageId={page.id} />
          <AnnouncementsCard {...card} />
          <LookCard {...card} page={page} />
          <AutoCard {...card} />
        </div>
        <div className={classes.beside}>
          <Preview page={page} unsaved={unsaved} />
        </div>
      </div>
      <SaveBar
        changes={changed.length}
        onSave={() => send(base)}
        onDiscard={() => begin(page)}
        busy={save.isPending}
        reason={block}
      />
    </>
  );
}
