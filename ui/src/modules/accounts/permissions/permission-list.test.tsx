import { QueryClient } from "@tanstack/react-query";
import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { licenseQuery, meQuery } from "@/api/access";
import { beginSession } from "@/api/session";
import { makeLicense, makeMe } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import { PermissionList } from "./permission-list";

const catalogue = ["audit.view", "nodes.edit", "nodes.view"].map((key) => ({
  key,
  family: `${key.split(".")[0]}.*`,
  summary: key,
}));

beforeEach(() => beginSession("ps_test"));

async function list(mine: string[], held: string[], lastFull = false) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  queries.setQueryData(meQuery.queryKey, makeMe(mine));
  queries.setQueryData(licenseQuery.queryKey, makeLicense());
  const change = vi.fn();
  await renderApp(
    <PermissionList catalogue={catalogue} held={held} before={held} onChange={change} lastFull={lastFull} />,
    { queries },
  );
  await screen.findByRole("switch", { name: /Full access/ });
  return change;
}

describe("permissions of one account", () => {
  it("closes what the administrator lacks, and says so", async () => {
    const change = await list(["nodes.*"], []);
    const box = screen.getByRole("checkbox", { name: /^audit\.view/ });
    expect(box).toHaveAttribute("aria-disabled", "true");
    expect(box).toHaveAccessibleDescription("You lack audit.view, so you cannot grant it");
    await userEvent.click(box);
    expect(change).not.toHaveBeenCalled();
    await userEvent.click(screen.getByRole("checkbox", { name: /^nodes\.\*/ }));
    expect(change).toHaveBeenCalledWith(["nodes.*"]);
  });

  it("lets a key out of a family", async () => {
    const change = await list(["*"], ["nodes.*"]);
    await userEvent.click(screen.getByRole("checkbox", { name: /^nodes\.edit/ }));
    expect(change).toHaveBeenCalledWith(["nodes.view"]);
  });

  it("keeps the last full access", async () => {
    const change = await list(["*"], ["*"], true);
    const full = screen.getByRole("switch", { name: /Full access/ });
    expect(full).toHaveAccessibleDescription(/last account with full access/);
    await userEvent.click(full);
    expect(change).not.toHaveBeenCalled();
  });
});
