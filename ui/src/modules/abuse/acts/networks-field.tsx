import { Textarea } from "@mantine/core";
import { queryOptions } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { answer, api } from "@/api/client";
import type { Signal } from "../signals/api";

const newest = 200;

/** The addresses that a user came from, as far as signals still know them. */
export const addressesQuery = (ref: string) =>
  queryOptions({
    queryKey: ["abuse", "addresses", ref],
    queryFn: async ({ signal }) => {
      const query = { user_ref: ref, allowed: true, limit: newest };
      const page = await answer(api.GET("/api/v1/abuse/signals", { params: { query }, signal }));
      return [...new Set((page.items as Signal[]).map(({ source }) => source.ip).filter((ip) => ip !== ""))];
    },
  });

export const hasNetworks = (networks: readonly string[]): boolean => networks.length > 0;

/** Which addresses and networks are blocked, one in each line. */
export function NetworksField({
  known,
  value,
  onChange,
}: {
  known: readonly string[];
  value: string;
  onChange: (value: string) => void;
}) {
  const { t } = useTranslation("abuse");
  return (
    <Textarea
      size="md"
      label={t("act.networks")}
      description={t(known.length > 0 ? "act.networksKnown" : "act.networksHelp")}
      placeholder={"198.51.100.7\n2001:db8::/64"}
      autosize
      minRows={2}
      maxRows={8}
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
