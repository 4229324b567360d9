import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";

interface OnwardProps {
  to: string;
  search?: Record<string, string>;
}

/** Leads to another page, once: a Navigate of the router starts anew with every drawing until that page has come. */
export function Onward(props: OnwardProps) {
  const navigate = useNavigate();
  const [{ to, search }] = useState(props);
  useEffect(() => {
    void navigate({ to, search: search ?? {}, replace: true });
  }, [navigate, to, search]);
  return null;
}
