import { Drawer } from "@mantine/core";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { usePhone } from "@/components/screen/use-phone";
import type { Entry } from "./api";
import classes from "./audit.module.css";
import { EntryView } from "./entry-view";
import type { AuditFilter } from "./filter";

interface EntryPanelProps {
  id: string | undefined;
  entry: Entry | undefined;
  error: unknown;
  neighbours: { newer?: string; older?: string };
  onOpen: (id: string | undefined) => void;
  onFilter: (change: Partial<AuditFilter>) => void;
}

/** The open entry: beside the list on a wide screen, over it on a phone. */
export function EntryPanel(props: EntryPanelProps) {
  const { t } = useTranslation("audit");
  const { id, onOpen } = props;
  const phone = usePhone();
  const close = () => {
    onOpen(undefined);
    if (id) document.getElementById(`entry-${id}`)?.focus();
  };
  if (phone)
    return (
      <Drawer.Root opened={id !== undefined} onClose={close} size="100%">
        <Drawer.Overlay />
        <Drawer.Content aria-label={t("entry.label")}>
          <Drawer.Body className={classes.sheet}>
            {id !== undefined && <EntryView {...props} onClose={close} />}
          </Drawer.Body>
        </Drawer.Content>
      </Drawer.Root>
    );
  if (id === undefined) return null;
  return <Beside {...props} onClose={close} />;
}

function Beside(props: EntryPanelProps & { onClose: () => void }) {
  const { t } = useTranslation("audit");
  const box = useRef<HTMLElement>(null);
  const { onClose } = props;
  useEffect(() => box.current?.focus(), []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const elsewhere = event.target instanceof Element && event.target.closest("[role=dialog], [role=menu], input");
      if (event.key === "Escape" && !event.defaultPrevented && !elsewhere) onClose();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });
  return (
    <aside ref={box} className={classes.beside} aria-label={t("entry.label")} tabIndex={-1}>
      <EntryView {...props} />
    </aside>
  );
}
