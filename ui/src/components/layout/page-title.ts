import { useEffect } from "react";
import { createStore } from "zustand";

/**
 * What the open page calls itself, where its name comes from data. `parents` renames steps of the breadcrumb by index.
 */
export const pageTitle = createStore<{ title: string | undefined; parents: Record<number, string> }>(() => ({
  title: undefined,
  parents: {},
}));

let named = document.title;
let counted = 0;

function show(): void {
  document.title = counted > 0 ? `(${counted}) ${named}` : named;
}

/** Names the page in the browser's title. */
export function nameInTitle(title: string): void {
  named = `${title} · Panel`;
  show();
}

/** Puts a count before the browser's title; zero takes it away. */
export function countInTitle(count: number): void {
  counted = count;
  show();
}

/** Names the page in the breadcrumb and the browser's title while it is open. */
export function usePageTitle(title: string | undefined, parents?: Record<number, string>): void {
  const renamed = JSON.stringify(parents ?? {});
  useEffect(() => {
    pageTitle.setState({ title, parents: JSON.parse(renamed) as Record<number, string> });
    if (title) nameInTitle(title);
    return () => pageTitle.setState({ title: undefined, parents: {} });
  }, [title, renamed]);
}
