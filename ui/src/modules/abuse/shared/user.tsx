import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

/** Where all that is known of a user stands. */
export const subjectPath = (ref: string): string => `/abuse/subjects/${encodeURIComponent(ref)}`;

/** The client that a user is, where it is one of the panel's own. */
export function clientOf(ref: string): string | undefined {
  return ref.startsWith("c:") ? ref.slice(2) : undefined;
}

/** A user by name, as the way to all that is known of it. One whose client is gone is named by its reference. */
export function UserLink({ userRef, label }: { userRef: string; label: string }) {
  const { t } = useTranslation("abuse");
  return (
    <Link to="/abuse/subjects/$ref" params={{ ref: userRef }} title={label ? undefined : t("user.gone")}>
      {label || <span className="mono">{shortRef(userRef)}</span>}
    </Link>
  );
}

const shown = 12;

/** A reference as short as it still tells users apart on a screen. */
export function shortRef(ref: string): string {
  return ref.length > shown + 2 ? `${ref.slice(0, shown)}…` : ref;
}
