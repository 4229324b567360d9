import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";

/** A node by its name, as the way to it for those who may see nodes. */
export function NodeName({ id, name }: { id: string; name: string }) {
  const { t } = useTranslation("abuse");
  const { can } = useAccess();
  if (!name) return <span className="dim">{t("gone")}</span>;
  if (!can("nodes.view")) return <span className="strong">{name}</span>;
  return (
    <Link to="/nodes/$id" params={{ id }} className="strong">
      {name}
    </Link>
  );
}
