import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook } from "@testing-library/react";
import i18next from "i18next";
import type { ReactNode } from "react";
import { beforeAll, expect, it } from "vitest";
import { startI18n } from "@/text/i18n";
import { makeMe } from "@/testing/fixtures";
import type { Account } from "../directory/api";
import { usePermissionDraft } from "./use-permission-draft";

beforeAll(async () => {
  await startI18n("en");
  await i18next.loadNamespaces("accounts");
});

const catalogue = ["nodes.edit", "nodes.view"].map((key) => ({ key, family: "nodes.*", summary: key }));
const account = (id: string, permissions: string[]): Account => ({ ...makeMe(permissions).account, id, username: id });

function draftOf(first: Account) {
  const queries = new QueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queries}>{children}</QueryClientProvider>
  );
  return renderHook(({ of }: { of: Account }) => usePermissionDraft(of, catalogue), {
    wrapper,
    initialProps: { of: first },
  });
}

it("counts keys that are gained and lost, and a family alone as one change", () => {
  const { result } = draftOf(account("oleg", ["nodes.view", "nodes.edit"]));
  expect(result.current.changes).toBe(0);
  act(() => result.current.set([]));
  expect(result.current.changes).toBe(2);
  act(() => result.current.set(["nodes.*"]));
  expect(result.current.changes).toBe(1);
});

it("belongs to one account: choosing another forgets it", () => {
  const [oleg, support] = [account("oleg", []), account("support", ["nodes.view"])];
  const { result, rerender } = draftOf(oleg);
  act(() => result.current.set(["nodes.edit"]));
  rerender({ of: support });
  expect(result.current.held).toEqual(["nodes.view"]);
  rerender({ of: oleg });
  expect(result.current).toMatchObject({ held: [], changes: 0 });
});
