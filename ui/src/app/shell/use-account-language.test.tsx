import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook, waitFor } from "@testing-library/react";
import i18next from "i18next";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { meQuery } from "@/api/access";
import { api } from "@/api/client";
import { beginSession } from "@/api/session";
import { changeLanguage, startI18n } from "@/text/i18n";
import { useAccountLanguage, useChooseLanguage } from "./use-account-language";

function signedIn(language: string) {
  act(() => beginSession("ps_test"));
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  queries.setQueryData(meQuery.queryKey, { account: { language }, permissions: ["*"] } as never);
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queries}>{children}</QueryClientProvider>
  );
  return renderHook(
    () => {
      useAccountLanguage();
      return useChooseLanguage();
    },
    { wrapper },
  );
}

beforeEach(() => startI18n("en"));
afterEach(async () => {
  vi.restoreAllMocks();
  await changeLanguage("en");
});

it("shows the panel in the language of the account, whatever this browser showed before", async () => {
  signedIn("ru");
  await waitFor(() => expect(i18next.language).toBe("ru"));
});

it("leaves the language of the browser where the account has chosen none", async () => {
  await changeLanguage("ru");
  signedIn("");
  await act(async () => undefined);
  expect(i18next.language).toBe("ru");
});

it("changes the language here and for the account", async () => {
  const put = vi.spyOn(api, "PUT").mockResolvedValue({ response: new Response(null, { status: 204 }) } as never);
  const { result } = signedIn("en");
  act(() => result.current("ru"));
  await waitFor(() => expect(i18next.language).toBe("ru"));
  expect(put).toHaveBeenCalledWith("/api/v1/auth/language", { body: { language: "ru" } });
});

it("keeps the choice in this browser where the panel refuses it", async () => {
  vi.spyOn(api, "PUT").mockRejectedValue(new Error("refused"));
  const { result } = signedIn("en");
  act(() => result.current("ru"));
  await waitFor(() => expect(i18next.language).toBe("ru"));
});
