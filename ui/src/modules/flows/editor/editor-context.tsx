import { useQuery } from "@tanstack/react-query";
import {
  createContext,
  createElement,
  useCallback,
  useContext,
  useMemo,
  useSyncExternalStore,
  type ReactNode,
} from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { namedQuery, serversQuery, type Flow, type Server, type Share } from "../shared/api";
import type { ObjectChange } from "../drawing/compare";
import { findBlock, type Block, type BlockKind, type Drawing } from "../drawing/drawing";
import type { DraftStore } from "./draft/draft-store";
import type { Problem } from "./problems/problems";

/** What every part of the editor reads: the flow, its draft, what is wrong with it, and whether it may be changed. */
export interface Editor {
  flow: Flow;
  store: DraftStore;
  problems: Problem[];
  /** What the draft has that the installed version has not; undefined where nothing is installed. */
  changes: ObjectChange[] | undefined;
  /** Keys of blocks that differ from the installed version. */
  changed: ReadonlySet<string>;
  /** Listeners of other flows at the ports of this one, as far as the panel has looked at the draft. */
  sharing?: readonly Share[] | undefined;
  /** Why the draft may not be changed, or undefined. */
  closed: string | undefined;
}

const EditorContext = createContext<Editor | undefined>(undefined);

export const EditorProvider = EditorContext.Provider;

export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (!editor) throw new Error("this part of the editor is drawn outside of it");
  return editor;
}

export function useDrawing(): Drawing {
  return useStore(useEditor().store, (state) => state.drawing);
}

const nothingChanges = () => () => undefined;

/** Whether blocks of a kind may be drawn here: outside of the editor nobody knows before. */
export function useMayHave(wanted: BlockKind): boolean {
  const editor = useContext(EditorContext);
  return useSyncExternalStore(editor?.store.subscribe ?? nothingChanges, () =>
    editor ? editor.store.getState().drawing.nodes.some(({ kind }) => kind === wanted) : true,
  );
}

export interface Places {
  servers: ReadonlyMap<string, Server>;
  /** The account may not see nodes; they are then shown by their ids. */
  hidden: boolean;
  loading: boolean;
}

const PlacesContext = createContext<Places | undefined>(undefined);

/** Makes these nodes known by name to everything inside, also in a fleet too large to be known as a whole. */
export function PlacesProvider({ ids, children }: { ids: readonly string[]; children: ReactNode }) {
  const places = useFirstPlaces();
  const missing = places.loading || places.hidden ? [] : [...new Set(ids)].filter((id) => !places.servers.has(id));
  const found = useQuery(namedQuery(missing.toSorted())).data;
  const value = useMemo(
    () => ({ ...places, servers: new Map([...places.servers, ...(found ?? []).map((one) => [one.id, one] as const)]) }),
    [places, found],
  );
  return createElement(PlacesContext.Provider, { value }, children);
}

/** The nodes that are known by name here. */
export function usePlaces(): Places {
  const own = useFirstPlaces();
  return useContext(PlacesContext) ?? own;
}

function useFirstPlaces(): Places {
  const servers = useQuery(serversQuery);
  return useMemo(
    () => ({
      servers: new Map((servers.data ?? []).map((server) => [server.id, server])),
      hidden: servers.error !== null && servers.data === undefined,
      loading: servers.isPending,
    }),
    [servers.data, servers.error, servers.isPending],
  );
}

/** What people call a block: its title, else its server, else its kind. */
export function useBlockName(): (block: Block | undefined) => string {
  const { t } = useTranslation("flows");
  const { servers } = usePlaces();
  return useCallback(
    (block) => {
      if (!block) return "";
      if (block.title) return block.title;
      const server = block.node_id ? servers.get(block.node_id)?.name : undefined;
      if (block.kind === "entry") return server ? t("block.entryOn", { name: server }) : t("kind.entry");
      return server ?? t(`kind.${block.kind}`);
    },
    [t, servers],
  );
}

export function useNameOfKey(): (key: string) => string {
  const drawing = useDrawing();
  const nameOf = useBlockName();
  return (key) => nameOf(findBlock(drawing, key)) || key;
}
