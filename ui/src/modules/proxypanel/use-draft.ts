import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { fieldErrors } from "@/api/problem";
import type { Connection } from "./api";
import { draftOf, problemsOf, type Draft } from "./draft";

const fields = [
  "label",
  "base_url",
  "token",
  "extra_headers",
  "cookie",
  "ca",
  "client_certificate",
] as const satisfies (keyof Draft)[];

type Field = (typeof fields)[number];

/** Where the panel's refusals are linked to, by what it calls the fields. */
export const fieldIds: Record<string, string> = Object.fromEntries(
  fields.flatMap((field) => [
    [field, `panel-${field}`],
    [`body.${field}`, `panel-${field}`],
  ]),
);

interface Options {
  stored?: Connection | undefined;
  fresh?: boolean;
  error: unknown;
  send: (draft: Draft) => void;
}

/** The draft of a connection. Once sending was tried, what is wrong and what was refused stand at their fields. */
export function useDraft({ stored, fresh, error, send }: Options) {
  const { t, i18n } = useTranslation("proxypanel");
  const [begun] = useState(() => draftOf(stored));
  const [draft, setDraft] = useState(begun);
  const [tried, setTried] = useState(false);
  const wrong = problemsOf(draft, stored, fresh);
  const refused = fieldErrors(error);
  const set = (next: Partial<Draft>) => setDraft((before) => ({ ...before, ...next }));
  const errorOf = (field: keyof Draft): string | undefined => {
    const own = tried ? wrong[field] : undefined;
    if (own) return t(`wrong.${own}`);
    const said = refused[field];
    // The panel says it in English, and more exactly than one sentence for all can.
    return said && i18n.language !== "en" && isField(field) ? t(`refused.${field}`) : said;
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    const first = fields.find((field) => wrong[field]);
    if (first === undefined) return send(draft);
    // Its field may be folded away until the page is drawn again.
    requestAnimationFrame(() => document.getElementById(`panel-${first}`)?.focus());
  };
  const typed = JSON.stringify(draft) !== JSON.stringify(begun);
  return { draft, set, errorOf, submit, typed };
}

const isField = (field: keyof Draft): field is Field => (fields as readonly string[]).includes(field);
