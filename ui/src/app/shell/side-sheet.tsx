import { Drawer } from "@mantine/core";
import {
  lazy,
  Suspense,
  useEffect,
  useRef,
  type ComponentType,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from "react";
import { ErrorBoundary } from "react-error-boundary";
import { useAccess } from "@/api/access";
import { usePhone, useTablet } from "@/components/screen/use-phone";
import { useModules } from "@/components/slots/contributions";
import { ProblemView } from "@/components/state/problem-view";
import { Skeleton } from "@/components/state/states";
import type { SheetEntry } from "@/module";
import { useLanguage } from "@/text/use-format";
import classes from "./side-sheet.module.css";

/** The sheet that a module has beside every page, if the account may use it. */
export function useSheet(): SheetEntry | undefined {
  const { can } = useAccess();
  const entry = useModules().find(({ sheet }) => sheet !== undefined)?.sheet;
  return entry && can(...entry.needs) ? entry : undefined;
}

/** The button in the top bar that opens and closes the sheet. */
export function SheetButton({
  entry: { label, icon: Shape },
  opened,
  onToggle,
  target,
}: {
  entry: SheetEntry;
  opened: boolean;
  onToggle: () => void;
  target: RefObject<HTMLButtonElement | null>;
}) {
  const name = label[useLanguage()];
  return (
    <button
      ref={target}
      type="button"
      className={classes.button}
      aria-label={name}
      title={name}
      aria-expanded={opened}
      onClick={onToggle}
    >
      <Shape size={18} stroke={1.6} aria-hidden />
    </button>
  );
}

/**
 * Beside the page, which makes room for it; over the page where there is no room. Escape closes it and gives the focus
 * back to its button.
 */
export function SideSheet({ entry, opened, onClose }: { entry: SheetEntry; opened: boolean; onClose: () => void }) {
  const phone = usePhone();
  const tablet = useTablet();
  const label = entry.label[useLanguage()];
  const inside = <Inside entry={entry} onClose={onClose} />;
  if (tablet) {
    return (
      <Drawer.Root opened={opened} onClose={onClose} position="right" size={phone ? "100%" : 400}>
        <Drawer.Overlay />
        <Drawer.Content aria-label={label}>
          <Drawer.Body className={classes.drawer}>{inside}</Drawer.Body>
        </Drawer.Content>
      </Drawer.Root>
    );
  }
  return (
    <Aside label={label} hidden={!opened} onClose={onClose}>
      {inside}
    </Aside>
  );
}

function Aside({
  label,
  hidden,
  onClose,
  children,
}: {
  label: string;
  hidden: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  const sheet = useRef<HTMLElement>(null);
  const close = (event: KeyboardEvent) => {
    if (event.key === "Escape" && !event.defaultPrevented && sheet.current?.contains(event.target as Node)) onClose();
  };
  useEffect(() => {
    if (!hidden) sheet.current?.querySelector("textarea")?.focus({ preventScroll: true });
  }, [hidden]);
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape closes it from every field
    <aside ref={sheet} className={classes.sheet} aria-label={label} hidden={hidden} onKeyDown={close}>
      {children}
    </aside>
  );
}

const loaded = new WeakMap<SheetEntry, ComponentType<{ onClose: () => void }>>();

function Inside({ entry, onClose }: { entry: SheetEntry; onClose: () => void }) {
  const Sheet = loaded.get(entry) ?? lazy(entry.load);
  loaded.set(entry, Sheet);
  return (
    <ErrorBoundary
      fallbackRender={({ error, resetErrorBoundary }) => <ProblemView error={error} onRetry={resetErrorBoundary} />}
    >
      <Suspense fallback={<Skeleton rows={4} />}>
        <Sheet onClose={onClose} />
      </Suspense>
    </ErrorBoundary>
  );
}
