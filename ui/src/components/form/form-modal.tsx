import { Modal, type ModalProps } from "@mantine/core";
import { createContext, useContext, useEffect, useMemo, useState } from "react";
import { useClosing } from "./use-closing";

interface Dialog {
  setTyped: (typed: boolean) => void;
  close: () => void;
}

const Around = createContext<Dialog>({ setTyped: () => undefined, close: () => undefined });

/** A dialog around a form. Its cross, Escape and a click beside it ask first where text was typed into the form. */
export function FormModal({ onClose, children, ...modal }: ModalProps) {
  const [typed, setTyped] = useState(false);
  const close = useClosing(typed, onClose);
  const dialog = useMemo(() => ({ setTyped, close }), [close]);
  return (
    <Modal {...modal} onClose={close}>
      <Around value={dialog}>{children}</Around>
    </Modal>
  );
}

/** Tells the dialog around a form whether text was typed into it. The answer is what its Cancel does. */
export function useTyped(typed: boolean): () => void {
  const { setTyped, close } = useContext(Around);
  useEffect(() => {
    setTyped(typed);
    return () => setTyped(false);
  }, [setTyped, typed]);
  return close;
}
