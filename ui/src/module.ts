import type { QueryKey } from "@tanstack/react-query";
import type { Icon } from "@tabler/icons-react";
import type { ComponentType, LazyExoticComponent } from "react";
import type { FeatureKey, PermissionKey } from "@/api/keys.gen";
import type { LiveEvent } from "@/api/stream";
import type { GlyphKind } from "@/components/glyph";

/** A text in both languages, for words that are needed before a module's own messages are loaded. */
export interface Words {
  en: string;
  ru: string;
}

export type NavGroup = "home" | "network" | "reliability" | "protection" | "system";

export interface NavEntry {
  group: NavGroup;
  /** Position within the group, smallest first. */
  order: number;
  path: string;
  label: Words;
  icon: Icon;
  /** Any one of these keys shows the entry; none means everyone. */
  needs?: PermissionKey[];
  /** The small number at the right, asked for once and after every change of the module. */
  count?: () => Promise<number>;
}

export interface PageEntry {
  /** Path with parameters as `$id`. */
  path: string;
  load: () => Promise<{ default: ComponentType }>;
  title: Words;
  /** Pages above this one in the breadcrumb. */
  parents?: { label: Words; path?: string }[];
  needs?: PermissionKey[];
  feature?: FeatureKey;
  /** `app` is the signed-in shell (default), `wide` the shell with the rail and no page padding, `bare` no shell. */
  frame?: "app" | "wide" | "bare";
}

/** One line of "needs attention": what, its effect, since when, and the act that fixes it. */
export interface AttentionItem {
  id: string;
  severity: "crit" | "warn" | "info";
  glyph: GlyphKind;
  name: string;
  what: string;
  effect?: string;
  since?: string;
  act: { label: string; path: string };
}

/** What a module puts on the overview. Every part is optional. */
export interface OverviewPart {
  /** A figure in the first row. */
  Tile?: ComponentType;
  /** A full-width strip under the figures. */
  Strip?: ComponentType;
  /** A card of the lower rows. */
  Card?: ComponentType;
  /** A narrow card beside "needs attention". */
  Side?: ComponentType;
  useAttention?: () => AttentionItem[];
  /** One step of the checklist of an empty fleet; undefined while unknown. */
  useFirstStep?: () => { order: number; title: string; text: string; act: string; path: string; done: boolean } | undefined;
}

/** One step of the first installation. The page draws the frame, the step its body. */
export interface SetupStepProps {
  onDone: (result?: string) => void;
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

export interface PaletteHit {
  id: string;
  group: string;
  name: string;
  detail?: string;
  path: string;
}

/** All that a module adds to the web interface: the mirror of its manifest in the panel. */
export interface UiModule {
  name: string;
  navigation?: NavEntry[];
  pages?: PageEntry[];
  /** Order on the overview; smaller stands first. */
  overview?: { order: number; needs?: PermissionKey[]; load: () => Promise<{ default: OverviewPart }> };
  setup?: SetupStep[];
  /** Finds objects for the command palette. */
  search?: { needs?: PermissionKey[]; find: (text: string, signal: AbortSignal) => Promise<PaletteHit[]> };
  /** Query keys that a live event makes stale. */
  refresh?: (event: LiveEvent) => QueryKey[];
}

/** Says that this object is a module and checks its shape. */
export function defineModule(module: UiModule): UiModule {
  return module;
}
