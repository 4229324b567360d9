import type { Announcement, Component, Group, Locale, Page, PageDraft, PageParts } from "../api";
import { written } from "../shared/localised";

/** What every card of the editor gets. */
export interface CardProps {
  draft: PageDraft;
  set: (some: Partial<PageDraft>) => void;
  block: string | undefined;
  /** What the panel refused, by the field's path. */
  wrong: Record<string, string>;
}

/** What a person begins with: the page as it is stored. */
export function draftOf(page: Page): PageDraft {
  return {
    slug: page.slug,
    titles: page.titles,
    descriptions: page.descriptions,
    footers: page.footers,
    locales: page.locales,
    default_locale: page.default_locale,
    mode: page.theme.mode,
    accent: page.theme.accent,
    auto: page.auto,
    groups: page.groups,
    components: page.components,
    announcements: page.announcements,
  };
}

/** The languages of a page, its first one first. */
export const languagesOf = ({ locales, default_locale: first }: Pick<PageDraft, "locales" | "default_locale">) => [
  first,
  ...locales.filter((locale) => locale !== first),
];

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

const plain = ["slug", "titles", "descriptions", "footers", "locales", "default_locale", "auto"] as const;

/** The fields that differ from what is stored. */
export function changedFields(draft: PageDraft, page: Page): (keyof PageDraft)[] {
  const stored = draftOf(page);
  return (Object.keys(draft) as (keyof PageDraft)[]).filter((key) => !same(draft[key], stored[key]));
}

/** What is sent to store a draft: only the parts that differ. */
export function partsOf(draft: PageDraft, page: Page): PageParts {
  const changed = changedFields(draft, page);
  const parts: PageParts = {};
  const basics = plain.filter((key) => changed.includes(key));
  const themed = changed.includes("mode") || changed.includes("accent");
  if (basics.length > 0 || themed) {
    parts.change = Object.fromEntries(basics.map((key) => [key, sent(draft[key])]));
    if (themed) parts.change.theme = { mode: draft.mode, accent: draft.accent };
  }
  if (changed.includes("groups") || changed.includes("components"))
    parts.parts = { groups: draft.groups.map(sentGroup), components: draft.components.map(sentComponent) };
  if (changed.includes("announcements")) parts.announcements = draft.announcements.map(sentAnnouncement);
  return parts;
}

const isTexts = (value: unknown): value is Record<string, string> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !("draft" in value);

const sent = (value: unknown) => (isTexts(value) ? written(value) : value);

const sentGroup = ({ id, names }: Group): Group => ({ id, names: written(names) });

/** What is read only stays here. */
function sentComponent(one: Component): Component {
  return {
    ...(!isNew(one.id) && { id: one.id }),
    group_id: one.group_id,
    names: written(one.names),
    source: one.source,
    source_id: one.source_id,
    visible: one.visible,
    show_bars: one.show_bars,
    ...(one.source === "manual" && { manual_status: one.manual_status || "operational" }),
  };
}

function sentAnnouncement(one: Announcement): Announcement {
  const { id, titles, bodies, starts_at, ends_at } = one;
  return { ...(!isNew(id) && { id }), titles: written(titles), bodies: written(bodies), starts_at, ends_at };
}

const mark = "new:";

/** An id for something that the panel does not know yet; it is left out when it is sent. */
export const newId = () => `${mark}${crypto.randomUUID()}`;
const isNew = (id: string | undefined) => id === undefined || id.startsWith(mark);

/** A group is named by its components, so that a new one has its id from here. */
export const newGroup = (): Group => ({ id: crypto.randomUUID(), names: {} });

export function newAnnouncement(): Announcement {
  return { id: newId(), titles: {}, bodies: {}, starts_at: new Date().toISOString(), ends_at: null };
}

export function newComponent(group: string): Component {
  return {
    id: newId(),
    group_id: group,
    names: {},
    source: "flow",
    source_id: "",
    visible: true,
    show_bars: true,
  };
}

/** The list with one thing moved by a step, within those that stand in the same place. */
export function moved<T>(all: readonly T[], one: T, step: -1 | 1, alike: (other: T) => boolean): T[] {
  const places = all.flatMap((other, at) => (alike(other) ? [at] : []));
  const at = places.indexOf(all.indexOf(one));
  const to = places[at + step];
  if (at < 0 || to === undefined) return [...all];
  const next = [...all];
  [next[places[at]!], next[to]] = [next[to]!, next[places[at]!]!];
  return next;
}

export const isLocale = (value: string): value is Locale => value === "en" || value === "ru";
