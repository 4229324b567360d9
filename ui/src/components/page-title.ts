import { useEffect } from "react";
import { createStore } from "zustand";

/** What the open page calls itself, where its name comes from data. `parents` renames steps of the breadcrumb by index. */
export const pageTitle = createStore<{ title: string | undefined; parents: Record<number, string> }>(() => ({ title: undefined, parents: {} }));

/** Names the page in the breadcrumb and the browser's title while it is open. */
export function usePageTitle(title: string | undefined, parents?: Record<number, string>): void {
  const renamed = JSON.stringify(parents ?? {});
  useEffect(() => {
    pageTitle.setState({ title, parents: JSON.parse(renamed) as Record<number, string> });
    if (title) document.title = `${title} · Panel`;
    return () => pageTitle.setState({ title: undefined, parents: {} });
  }, [title, renamed]);
}
