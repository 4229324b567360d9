import type { QueryClient, QueryKey } from "@tanstack/react-query";
import type { Icon } from "@tabler/icons-react";
import type { ComponentType, LazyExoticComponent, ReactElement } from "react";
import type { FeatureKey, PermissionKey } from "@/api/keys.gen";
import type { LiveEvent } from "@/api/stream";
import type { GlyphKind } from "@/components/status/glyph";

/** A text in both languages, for words that are needed before a module's own messages are loaded. */
export interface Words {
  en: string;
  ru: string;
}

export type NavGroup = "home" | "network" | "reliability" | "protection" | "system";

/** Where permissions and features stand among those of other modules. */
export const areas = ["network", "reliability", "protection", "system"] as const;
export type Area = (typeof areas)[number];

export interface NavEntry {
  group: NavGroup;
  /** Position within the group, smallest first. */
  order: number;
  path: string;
  label: Words;
  icon: Icon;
  /** Any one of these keys shows the entry; none means everyone. */
  needs?: PermissionKey[];
  /** Shown to whoever may read something in this slot, in place of `needs`. */
  slot?: SlotName;
  /** The key after `g` that goes there, as the browser names its place: `KeyN`. */
  key?: string;
  /** The small number at the right, asked for once and after every change of the module. */
  count?: () => Promise<number>;
}

/** What is known before the first page is drawn. */
export interface Start {
  queries: QueryClient;
  can: (...needed: PermissionKey[]) => boolean;
  modules: readonly UiModule[];
  /** What the address says behind its path. */
  search: Record<string, unknown>;
}

export interface PageEntry {
  /** Path with parameters as `$id`. */
  path: string;
  /** The file of a page may export `ahead`: it asks for what the page shows first, before the page is drawn. */
  load: () => Promise<{ default: ComponentType; ahead?: (start: Start) => Promise<unknown> }>;
  /** Code that the page is made of beside its own, fetched with it. */
  alongside?: (modules: readonly UiModule[]) => Promise<unknown>;
  title: Words;
  /** Pages above this one in the breadcrumb. */
  parents?: { label: Words; path?: string }[];
  needs?: PermissionKey[];
  /** Open to whoever may read something in this slot, in place of `needs`. */
  slot?: SlotName;
  feature?: FeatureKey;
  /** `app` is the signed-in shell (default), `wide` the shell with the rail and no page padding, `bare` no shell. */
  frame?: "app" | "wide" | "bare";
}

/** One line of "needs attention": what, its effect, since when, and the act that fixes it. One cause is one line. */
export interface AttentionItem {
  id: string;
  severity: "crit" | "warn" | "info";
  glyph: GlyphKind;
  name: string;
  what: string;
  /** How many objects the line stands for, and the first of them by name. */
  count?: number;
  members?: string;
  effect?: string;
  since?: string;
  /** Ids of all objects that the line is about. It is left out where another line covers every one of them. */
  about?: readonly string[];
  /** Ids of objects whose own lines say no more than this one does. */
  covers?: readonly string[];
  act: { label: string; path: string; search?: Record<string, string> };
}

/** The moment that the overview shows instead of now. */
export interface PastProps {
  at: string;
}

/** What a slider over the past covers. */
export interface PastTrack {
  from: string;
  to: string;
}

/** Moments in milliseconds: the first that is known, and the changes around the one that is shown. */
export interface PastKnown {
  earliest?: number;
  earlier?: number;
  later?: number;
}

/** What a module shows of a moment that is past, where the overview shows what is now. */
export interface Past {
  useKnown: (at: string) => PastKnown;
  /** Drawn along the slider: where something happened. */
  Track?: ComponentType<PastTrack>;
  Tile?: ComponentType<PastProps>;
  Strip?: ComponentType<PastProps>;
  Main?: ComponentType<PastProps>;
  Side?: ComponentType<PastProps>;
}

/** What a module puts on the overview. Every part is optional. */
export interface OverviewPart {
  /** Asks for what the part shows first, before the overview is drawn. */
  ahead?: (start: Start) => Promise<unknown>;
  /** A figure in the first row. */
  Tile?: ComponentType;
  /** A full-width strip under the figures. */
  Strip?: ComponentType;
  /** A card of the lower rows. */
  Card?: ComponentType;
  /** A narrow card beside "needs attention". */
  Side?: ComponentType;
  /** The history of health. */
  Health?: ComponentType;
  /** What stands in place of `Health` while no module has it. */
  Fallback?: ComponentType;
  /** The same of a moment that is past. */
  Past?: Past;
  useAttention?: () => AttentionItem[];
  /** One step of the checklist of an empty fleet; undefined while unknown. */
  useFirstStep?: () =>
    { order: number; title: string; text: string; act: string; path: string; done: boolean } | undefined;
}

/** One step of the first installation. The page draws the frame, the step its body. */
export interface SetupStepProps {
  /** Ends the step with what it left to show; a skipped one gets no tick. */
  onDone: (result?: string, skipped?: boolean) => void;
  onBack: (() => void) | undefined;
  readOnly: boolean;
}

export interface SetupStep {
  key: string;
  order: number;
  label: Words;
  /** A step that needs a license is locked, with the reason, while the panel is read-only. */
  needsLicense?: boolean;
  Step: LazyExoticComponent<ComponentType<SetupStepProps>>;
}

/** What one module draws inside a screen of another. Who may not read it does not see it. */
export interface SlotEntry<Props> {
  key: string;
  /** Position among the others, smallest first. */
  order: number;
  label: Words;
  needs?: PermissionKey[];
  feature?: FeatureKey;
  /** Whether there is anything to show at all; asked once, and anew after what `queryKey` names has changed. */
  where?: { queryKey: readonly string[]; queryFn: (about: { signal: AbortSignal }) => Promise<boolean> };
  load: () => Promise<{ default: ComponentType<Props> }>;
}

/** A tab on the page of a node or a flow. Its key stands in the address. */
export type ObjectTab = SlotEntry<{ id: string }>;

/**
 * A column in the list of flows. A cell asks with one query for all shown rows (`ids`), so that a page costs one
 * request: the query's key holds `ids`, and `select` takes the row's own part.
 */
export type ListColumn = SlotEntry<{ id: string; ids: readonly string[] }>;

/** A section of the settings screen; it draws its own cards and saves by itself. */
export type SettingsSection = SlotEntry<object>;

/** Finds a target for a REALITY listener on a node, beside the field that takes it. */
export interface TargetPickerProps {
  nodeId: string | undefined;
  /** What the listener has now. */
  target: string | undefined;
  serverName: string | undefined;
  /** Why nothing may be taken over. */
  reason: string | undefined;
  onUse: (found: { target: string; serverName: string; resultId: string }) => void;
}

export type SlotName =
  "nodeTabs" | "nodeParts" | "flowTabs" | "clientParts" | "flowColumns" | "targetPickers" | "settings";

/** Something that the command palette finds and opens. */
export interface PaletteHit {
  id: string;
  group: string;
  name: string;
  detail?: string;
  path: string;
  search?: Record<string, string>;
  icon?: Icon;
  /** How it runs now, as glyph and word. */
  status?: { kind: GlyphKind; text: string };
  /** What can be done with it from the palette. */
  runs?: PaletteRun[];
}

/** One act on one hit. */
export interface PaletteRun {
  /** The key of the act that the module declares. */
  act: string;
  /** What it would do now, such as how many connections break. */
  detail?: string;
  /** Why it is closed for this one. */
  reason?: string;
  /** The dialog that says what the act hits and does it once it is confirmed. */
  draw: (onClose: () => void) => ReactElement;
}

/** An act that the command palette offers: on the first hit, or on what is named after one of its verbs. */
export interface PaletteAct {
  key: string;
  label: Words;
  icon: Icon;
  /**
   * What people type for it, in both languages; what follows is the name: `restart fra-02`. The first of each language
   * is the one that the palette proposes.
   */
  verbs: string[];
  needs: PermissionKey[];
  feature?: FeatureKey;
  /** The act is one of those that work without a license. */
  whileReadOnly?: boolean;
  /** What it is for, told where nothing of the typed name can take it. */
  none?: Words;
}

/** A sheet beside every page, which the top bar opens. It stays open while pages change. */
export interface SheetEntry {
  label: Words;
  icon: Icon;
  needs: PermissionKey[];
  load: () => Promise<{ default: ComponentType<{ onClose: () => void }> }>;
}

/** All that a module adds to the web interface: the mirror of its manifest in the panel. */
export interface UiModule {
  name: string;
  navigation?: NavEntry[];
  pages?: PageEntry[];
  /**
   * Order on the overview; smaller stands first. A part that comes later has lines of "needs attention" alone, which
   * are seldom: it is fetched when everything else is drawn.
   */
  overview?: {
    order: number;
    needs?: PermissionKey[];
    later?: boolean;
    load: () => Promise<{ default: OverviewPart }>;
  };
  setup?: SetupStep[];
  nodeTabs?: ObjectTab[];
  /** Cards on the agent's tab of a node. */
  nodeParts?: ObjectTab[];
  flowTabs?: ObjectTab[];
  /** Cards on the page of a client. */
  clientParts?: ObjectTab[];
  flowColumns?: ListColumn[];
  /** Ways to find a target for a REALITY listener in the editor of a flow. */
  targetPickers?: SlotEntry<TargetPickerProps>[];
  settings?: SettingsSection[];
  sheet?: SheetEntry;
  /** The area of a family of permissions (`nodes` of `nodes.view`) and of a feature of the license. */
  areas?: { permissions?: Record<string, Area>; features?: Record<string, Area> };
  /** Finds objects for the command palette. */
  search?: { needs?: PermissionKey[]; find: (text: string, signal: AbortSignal) => Promise<PaletteHit[]> };
  /** Acts on what `search` finds. */
  acts?: PaletteAct[];
  /** Query keys that a live event makes stale. */
  refresh?: (event: LiveEvent) => QueryKey[];
}

/** Says that this object is a module and checks its shape. */
export function defineModule(module: UiModule): UiModule {
  return module;
}
