import { initials } from "@/text/initials";
import classes from "./avatar.module.css";

/** The round mark of an account; its name always stands beside it. */
export function Avatar({ name }: { name: string }) {
  return (
    <span className={classes.avatar} aria-hidden>
      {initials(name)}
    </span>
  );
}
