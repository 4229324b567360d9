import { screen, waitFor, within } from "@testing-library/react";
import user from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { api } from "@/api/client";
import { renderApp } from "@/testing/render-app";
import ClientsPage from "./clients-page";
import { clientsSearch, isFiltered, narrowing } from "./clients-search";
import { answers, client, flowNames } from "./testing";

const summary = { total: 158, active: 150, online: 12, ending: 9, expired: 4, spent: 3, disabled: 1, revoked: 0 };

async function page(path: string, total = 1) {
  const queries: unknown[] = [];
  vi.spyOn(api, "GET").mockImplementation(((url: string, { params }: { params: { query: object } }) => {
    if (url === "/api/v1/clients/summary") return Promise.resolve(answers(summary));
    if (url === "/api/v1/connection-units") return Promise.resolve(answers(flowNames));
    queries.push(params.query);
    return Promise.resolve(answers({ items: [client], next_cursor: null, total }));
  }) as never);
  const drawn = await renderApp(<ClientsPage />, { route: "/clients", path });
  await screen.findByRole("link", { name: "Anna" });
  return { ...drawn, queries, views: within(screen.getByRole("navigation", { name: "Views" })) };
}

describe("the page of all clients", () => {
  afterEach(() => vi.restoreAllMocks());

  it("says how many there are in each view, and which one is shown", async () => {
    const { views, queries } = await page("/clients?online=true");
    await waitFor(() =>
      expect(views.getAllByRole("link").map((link) => link.textContent)).toEqual([
        "All158",
        "Active150",
        "Online12",
        "Ending soon9",
        "Expired4",
        "Quota used up3",
        "Disabled1",
      ]),
    );
    expect(views.getByRole("link", { name: /Online/ })).toHaveAttribute("data-current", "true");
    expect(views.getByRole("link", { name: /Ending/ })).toHaveAttribute("href", "/clients?ends_within=7");
    expect(queries).toEqual([expect.objectContaining({ online: true, sort: "label" })]);
    expect(screen.queryByRole("button", { name: "Save view" })).not.toBeInTheDocument();
  });

  it("narrows down by the end of the time, which a chip tells and takes off", async () => {
    const { queries } = await page("/clients?ends_within=30");
    const chips = within(screen.getByRole("list", { name: "Filters" }));
    await user.click(chips.getByRole("button", { name: /ends within 30 days/ }));
    await waitFor(() => expect(queries.at(-1)).not.toHaveProperty("ends_within"));
    expect(queries[0]).toMatchObject({ ends_within: 30 });
  });

  it("narrows down to those whose time has not begun, in place of one that ends soon", async () => {
    const { queries } = await page("/clients?ends_within=30");
    await user.click(screen.getByRole("button", { name: "Filters" }));
    await user.click(await screen.findByRole("combobox", { name: "Time" }));
    await user.click(await screen.findByRole("option", { name: "not begun" }));
    await waitFor(() => expect(queries.at(-1)).toMatchObject({ not_begun: true }));
    expect(queries.at(-1)).not.toHaveProperty("ends_within");
    const chips = within(screen.getByRole("list", { name: "Filters" }));
    await user.click(chips.getByRole("button", { name: /not begun/ }));
    await waitFor(() => expect(queries.at(-1)).not.toHaveProperty("not_begun"));
  });

  it("offers to keep what is no ready view", async () => {
    await page("/clients?ends_within=30");
    expect(screen.getByRole("button", { name: "Save view" })).toBeInTheDocument();
  });

  it("chooses with everybody those alone whom the list is narrowed down to", async () => {
    const { queries } = await page("/clients?ends_within=7&online=true", 2);
    await user.click(screen.getByRole("checkbox", { name: "Select Anna" }));
    await user.click(await screen.findByRole("button", { name: /Select all 2/ }));
    await waitFor(() => expect(queries.at(-1)).toMatchObject({ online: true, ends_within: 7, limit: 200 }));
  });
});

describe("what the address of the list says", () => {
  it("is read from what is typed there, and nonsense is nothing", () => {
    expect(clientsSearch.parse({ online: "true", ends_within: "7" })).toEqual({ online: true, ends_within: 7 });
    expect(clientsSearch.parse({ not_begun: "true" })).toEqual({ not_begun: true });
    expect(clientsSearch.parse({ online: "perhaps", ends_within: "0", state: "gone" })).toEqual({});
  });

  it("narrows the list down by everything but its order", () => {
    expect(narrowing({ sort: "used", tag: "vip" })).toEqual({ tag: "vip" });
    expect([isFiltered({ sort: "used" }), isFiltered({ q: "" }), isFiltered({ online: true })]).toEqual([
      false,
      false,
      true,
    ]);
  });
});
