import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useAccess } from "@/api/access";

/** A node by its name, as the way to its page for whoever may see it. */
export function NodeLink({ id, children }: { id: string; children: ReactNode }) {
  const { can } = useAccess();
  if (!id || !can("nodes.view")) return <span className="strong">{children}</span>;
  return (
    <Link to={`/nodes/${id}`} className="strong">
      {children}
    </Link>
  );
}
