import { useState, type FormEvent } from "react";
import { isProblem } from "@/api/problem";
import { fieldText } from "@/text/problem-text";

interface FormOptions<Draft, Wrong extends string> {
  begin: () => Draft;
  /** What is missing or cannot be, by the field. */
  problemsOf: (draft: Draft) => Partial<Record<keyof Draft, Wrong>>;
  words: (wrong: Wrong) => string;
  /** The ids of the fields that the panel may refuse, by what it calls them. */
  ids: (draft: Draft) => Record<string, string>;
  /** Begins the ids of the fields: `rule` for `rule-name`. */
  prefix: string;
  error: unknown;
  save: (draft: Draft) => void;
}

/** The draft of a dialog. Once saving was tried, what is wrong and what the panel refused stand at their fields. */
export function useItemForm<Draft extends object, Wrong extends string>(options: FormOptions<Draft, Wrong>) {
  const { begin, problemsOf, words, prefix, error, save } = options;
  const [draft, setDraft] = useState(begin);
  const [tried, setTried] = useState(false);
  const ids = options.ids(draft);
  const wrong: Partial<Record<keyof Draft, Wrong>> = tried ? problemsOf(draft) : {};
  const refused = refusedFields(error, ids);
  const set = (next: Partial<Draft>) => setDraft((before) => ({ ...before, ...next }));
  const errorOf = (field: keyof Draft & string): string | undefined => {
    const own = wrong[field];
    return own ? words(own) : refused[`${prefix}-${field}`];
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    const [first] = Object.keys(problemsOf(draft));
    if (first) document.getElementById(`${prefix}-${first}`)?.focus();
    else save(draft);
  };
  return { draft, set, errorOf, submit, ids, error, prefix };
}

/** What the panel said of fields, by the ids of the fields. */
export function refusedFields(error: unknown, ids: Record<string, string>): Record<string, string> {
  if (!isProblem(error)) return {};
  return Object.fromEntries(
    error.fields.flatMap((item) => {
      const id = ids[item.field];
      return id === undefined ? [] : [[id, fieldText(item)]];
    }),
  );
}
