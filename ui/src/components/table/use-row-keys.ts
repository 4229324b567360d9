import { useRef, type RefObject } from "react";
import { useSingleKeys } from "@/components/keys/single-keys";
import { useShortcut } from "@/components/keys/use-shortcut";

interface RowKeys {
  /** Where the rows are drawn, each with its id in `data-row`. */
  place: RefObject<HTMLElement | null>;
  ids: readonly string[];
  /** Brings a row into the page, drawn or not. */
  reveal: (index: number) => void;
  toggle?: (id: string, range: boolean) => void;
  onCreate?: () => void;
  onEdit?: (id: string) => void;
}

/** `j` and `k` go through the rows, `x` chooses one (with Shift all up to it), `e` edits it, `c` makes a new one. */
export function useRowKeys({ place, ids, reveal, toggle, onCreate, onEdit }: RowKeys): void {
  const [on] = useSingleKeys();
  const last = useRef<string>(undefined);
  const current = () => {
    const row = document.activeElement?.closest<HTMLElement>("[data-row]");
    if (row && place.current?.contains(row)) last.current = row.dataset.row;
    return last.current === undefined ? -1 : ids.indexOf(last.current);
  };
  const move = (step: number) => {
    const next = Math.max(0, Math.min(ids.length - 1, current() + step));
    const id = ids[next];
    if (!on || id === undefined) return;
    last.current = id;
    if (!rowOf(place, id)) reveal(next);
    focusRow(place, id);
  };
  const withRow = (act: ((id: string) => void) | undefined) => () => {
    const id = ids[current()];
    if (on && id !== undefined) act?.(id);
  };
  useShortcut("KeyJ", () => move(1));
  useShortcut("KeyK", () => move(-1));
  useShortcut("KeyX", withRow(toggle && ((id) => toggle(id, false))));
  useShortcut("KeyX", withRow(toggle && ((id) => toggle(id, true))), { shift: true });
  useShortcut("KeyE", withRow(onEdit));
  useShortcut("KeyC", () => on && onCreate?.());
}

function rowOf(place: RefObject<HTMLElement | null>, id: string): HTMLElement | null | undefined {
  return place.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`);
}

const attempts = 10;

/** A row outside the drawn part is there some frames later. */
function focusRow(place: RefObject<HTMLElement | null>, id: string, left = attempts): void {
  const row = rowOf(place, id);
  const target = row?.querySelector<HTMLElement>("a, button") ?? row;
  if (target) {
    target.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
  } else if (left > 0) requestAnimationFrame(() => focusRow(place, id, left - 1));
}
