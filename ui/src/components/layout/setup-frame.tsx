import type { ReactNode } from "react";
import classes from "./setup-frame.module.css";

/** The body of one step of the first installation. */
export function SetupBody({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  return (
    <>
      <h1 className={classes.title}>{title}</h1>
      {lead !== undefined && <p className={classes.lead}>{lead}</p>}
      {children}
    </>
  );
}

/** Back at the left, the one step on at the right. */
export function SetupFoot({ back, children }: { back?: ReactNode; children: ReactNode }) {
  return (
    <div className={classes.foot}>
      <div>{back}</div>
      <div className={classes.on}>{children}</div>
    </div>
  );
}
