import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import type { z } from "zod";

/** Filters of a page, kept in its address. Unknown or broken values fall back to the schema's defaults. */
export function useSearchState<Schema extends z.ZodType>(
  schema: Schema,
): [z.output<Schema>, (change: Partial<z.output<Schema>>) => void] {
  const raw = useSearch({ strict: false }) as Record<string, unknown>;
  const parsed = schema.safeParse(raw);
  const value = (parsed.success ? parsed.data : schema.parse({})) as z.output<Schema>;
  const navigate = useNavigate();
  const change = useCallback(
    (next: Partial<z.output<Schema>>) =>
      void navigate({
        to: ".",
        search: (old: Record<string, unknown>) => pruned({ ...old, ...(next as Record<string, unknown>) }),
        replace: true,
      }),
    [navigate],
  );
  return [value, change];
}

function pruned(search: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(search).filter(
      ([, value]) => value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0),
    ),
  );
}
