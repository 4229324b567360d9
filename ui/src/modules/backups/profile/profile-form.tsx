import { useMemo, useState, type FormEvent, type ReactNode } from "react";
import { FormProblems } from "@/components/form/form-problems";
import { useLeaveGuard } from "@/components/form/use-leave-guard";
import { Columns } from "@/components/layout/columns";
import { DestinationsCard } from "./destinations-card";
import { ContentCard, EncryptionCard } from "./encryption-card";
import { useFormErrors } from "./form-errors";
import { ProofCard, RetentionCard, ScheduleCard } from "./keeping-cards";
import { fieldIds, firstAtFault, problemsOf, type Problems, type ProfileDraft } from "./profile-draft";

interface FormProps {
  start: ProfileDraft;
  /** The head of the page; its button submits. */
  head: (dirty: boolean) => ReactNode;
  block: string | undefined;
  error: unknown;
  /** What stands above the fields. */
  note?: ReactNode;
  onSubmit: (draft: ProfileDraft) => void;
  /** The changes are stored: the page may be left. */
  saved: boolean;
}

const nothing: Problems = { fields: {}, destinations: {} };

/** The fields of a profile in cards; what is at fault is said at the field, and the first one takes the focus. */
export function ProfileForm({ start, head, block, error, note, onSubmit, saved }: FormProps) {
  const [draft, setDraft] = useState(start);
  const [tried, setTried] = useState(false);
  const before = useMemo(() => JSON.stringify(start), [start]);
  const dirty = JSON.stringify(draft) !== before;
  useLeaveGuard(dirty && !saved);
  const errors = useFormErrors(draft, tried ? problemsOf(draft) : nothing, error);
  const set = (next: Partial<ProfileDraft>) => setDraft((old) => ({ ...old, ...next }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (block !== undefined) return;
    setTried(true);
    const first = firstAtFault(problemsOf(draft));
    if (first) return document.getElementById(first)?.focus();
    onSubmit(draft);
  };
  const parts = { draft, set, errors, block };
  return (
    <form onSubmit={submit} noValidate>
      {head(dirty)}
      <FormProblems error={error} fields={fieldIds(draft)} />
      {note}
      <Columns
        width="wide"
        side={
          <>
            <EncryptionCard {...parts} />
            <ContentCard {...parts} />
            <RetentionCard {...parts} />
          </>
        }
      >
        <ScheduleCard {...parts} />
        <DestinationsCard
          list={draft.destinations}
          onChange={(destinations) => set({ destinations })}
          errors={errors}
          block={block}
        />
        <ProofCard {...parts} />
      </Columns>
    </form>
  );
}
