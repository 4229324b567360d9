import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { meQuery, useAccess } from "@/api/access";
import { api } from "@/api/client";
import type { Language } from "@/text/format";
import { changeLanguage } from "@/text/i18n";

/** Shows the panel in the language that the signed-in account has chosen, in whichever browser it did. */
export function useAccountLanguage(): void {
  const chosen = useAccess().account?.language;
  useEffect(() => {
    if (chosen) void changeLanguage(chosen);
  }, [chosen]);
}

/** Changes the language here at once, and for the account; where the panel refuses, this browser keeps the choice. */
export function useChooseLanguage(): (next: Language) => void {
  const queries = useQueryClient();
  return (next) => {
    void changeLanguage(next);
    queries.setQueryData(meQuery.queryKey, (me) => me && { ...me, account: { ...me.account, language: next } });
    api.PUT("/api/v1/auth/language", { body: { language: next } }).catch(() => undefined);
  };
}
