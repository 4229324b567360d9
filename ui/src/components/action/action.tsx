import { Tooltip } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import { Link, type LinkProps } from "@tanstack/react-router";
import { useId, type ComponentPropsWithRef, type ReactNode } from "react";
import { Spinner } from "@/components/status/glyph";
import classes from "./action.module.css";

export type ActionKind = "filled" | "default" | "ghost" | "danger" | "danger-filled" | "link";
export type ActionSize = "bar" | "page" | "dialog";

interface Look {
  kind?: ActionKind;
  size?: ActionSize;
  icon?: Icon;
  iconOnly?: boolean;
  busy?: boolean;
}

type ActionProps = Look &
  Omit<ComponentPropsWithRef<"button">, "disabled"> & {
    /** Why the act is closed. The button stays reachable and tells it. */
    reason?: string;
    children: ReactNode;
  };

/** A button. One filled action per view; a closed one is dashed and says why. */
export function Action({
  kind = "default",
  size = "page",
  icon: IconShape,
  iconOnly,
  busy = false,
  reason,
  children,
  onClick,
  type = "button",
  className,
  ...rest
}: ActionProps) {
  const reasonId = useId();
  const closed = reason !== undefined;
  const button = (
    <button
      {...rest}
      type={closed ? "button" : type}
      className={[classes.action, className].filter(Boolean).join(" ")}
      data-kind={kind}
      data-size={size}
      data-icon-only={iconOnly || undefined}
      data-closed={closed || undefined}
      aria-disabled={closed || busy || undefined}
      aria-describedby={closed ? reasonId : rest["aria-describedby"]}
      onClick={closed || busy ? (event) => event.preventDefault() : onClick}
    >
      <Inside icon={IconShape} busy={busy} iconOnly={iconOnly} size={size}>
        {children}
      </Inside>
      {closed && (
        <span id={reasonId} hidden>
          {reason}
        </span>
      )}
    </button>
  );
  if (closed) return <Tooltip label={reason}>{button}</Tooltip>;
  if (iconOnly) return <Tooltip label={children}>{button}</Tooltip>;
  return button;
}

/** A link that looks like a button, for going somewhere. */
export function ActionLink({
  kind = "default",
  size = "page",
  icon: IconShape,
  iconOnly,
  children,
  ...link
}: Look & LinkProps & { children: ReactNode; className?: string }) {
  return (
    <Link {...link} className={classes.action} data-kind={kind} data-size={size} data-icon-only={iconOnly || undefined}>
      <Inside icon={IconShape} iconOnly={iconOnly} size={size}>
        {children}
      </Inside>
    </Link>
  );
}

function Inside({ icon: IconShape, busy, iconOnly, size, children }: Look & { children: ReactNode }) {
  return (
    <>
      {busy ? (
        <Spinner size={14} />
      ) : (
        IconShape && <IconShape size={size === "bar" ? 14 : 15} stroke={1.7} aria-hidden />
      )}
      <span className={iconOnly ? "visually-hidden" : undefined}>{children}</span>
    </>
  );
}
