import type { FormEventHandler, ReactNode } from "react";
import classes from "./dialog-form.module.css";

/** The fields of a dialog, checked by the page and not by the browser. */
export function DialogForm({ onSubmit, children }: { onSubmit: FormEventHandler; children: ReactNode }) {
  return (
    <form className={classes.form} onSubmit={onSubmit} noValidate>
      {children}
    </form>
  );
}

/** What is shown in a dialog without a form. */
export function DialogBody({ children }: { children: ReactNode }) {
  return <div className={classes.form}>{children}</div>;
}

/** The acts of a dialog; the one that closes it without anything comes first. */
export function DialogFoot({ children }: { children: ReactNode }) {
  return <div className={classes.foot}>{children}</div>;
}
