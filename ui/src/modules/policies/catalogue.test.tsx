import { act, screen, waitFor, within } from "@testing-library/react";
import user from "@testing-library/user-event";
import { QueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { api } from "@/api/client";
import { meQuery } from "@/api/access";
import { beginSession } from "@/api/session";
import { changeLanguage } from "@/text/i18n";
import * as toast from "@/components/state/toast";
import { makeMe } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import type { Catalogue } from "./api";
import { CatalogueForm } from "./catalogue-form";
import { OutdatedCard } from "./catalogue-tab";
import { catalogue, outdated } from "./testing";

const answers = (data: object) => ({ response: new Response(null, { status: 200 }), data }) as never;
const refuses = (error: object, status: number) => ({ response: new Response(null, { status }), error }) as never;
const calls = (spy: { mock: { calls: unknown[][] } }) => spy.mock.calls as unknown as [string, { body: object }][];

afterEach(async () => {
  vi.restoreAllMocks();
  await changeLanguage("en");
});

/** The queries of somebody who may change and apply flows. */
function somebody(): QueryClient {
  beginSession("ps_test");
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryData(meQuery.queryKey, makeMe(["*"]));
  return queries;
}

/** Draws the form; what it gives back puts another catalogue under it, as a live event does. */
async function renderLive(): Promise<(to: Catalogue) => void> {
  let put: (to: Catalogue) => void = () => undefined;
  function Live() {
    const [now, setNow] = useState(catalogue);
    put = setNow;
    return <CatalogueForm catalogue={now} block={undefined} />;
  }
  await renderApp(<Live />);
  await screen.findByRole("button", { name: "Add a set" });
  return (to) => act(() => put(to));
}

describe("flows with an older snapshot", () => {
  it("are counted and named with what changed, in both languages", async () => {
    await renderApp(<OutdatedCard outdated={outdated} />);
    expect(await screen.findByRole("heading", { name: "2 flows run an older snapshot" })).toBeInTheDocument();
    expect(screen.getByText("runs version 1, newest is 3; changed: messengers")).toBeInTheDocument();
    expect(screen.getByRole("link", { name: "Warehouse" })).toBeInTheDocument();
    await changeLanguage("ru");
    expect(await screen.findByRole("heading", { name: "2 потока работают со старым снимком" })).toBeInTheDocument();
  });

  it("are brought up to date by a plan, which is compiled and shown", async () => {
    const post = vi.spyOn(api, "POST").mockResolvedValue(answers({ id: "plan-1" }));
    const { address } = await renderApp(<OutdatedCard outdated={outdated} />, { queries: somebody() });
    await user.click(await screen.findByRole("button", { name: "Review plan of Warehouse" }));
    const flow = outdated.items[1]!.flow_id;
    await waitFor(() => expect(address()).toBe(`/flows/${flow}/plans/plan-1`));
    expect(calls(post)[0]).toMatchObject([
      "/api/v1/connection-units/{id}/plan/compile",
      { params: { path: { id: flow } } },
    ]);
  });

  it("stay in the list when their plan is refused", async () => {
    vi.spyOn(api, "POST").mockResolvedValue(refuses({ status: 409, code: "operation_running" }, 409));
    const toasts = vi.spyOn(toast, "toastProblem");
    const { address } = await renderApp(<OutdatedCard outdated={outdated} />, { queries: somebody() });
    await user.click(await screen.findByRole("button", { name: "Review plan of Office" }));
    await waitFor(() => expect(toasts).toHaveBeenCalledWith("No plan of Office could be made", expect.anything()));
    expect(screen.getByRole("button", { name: "Review plan of Office" })).not.toHaveAttribute("aria-disabled");
    expect(address()).toBe("/");
  });
});

describe("the catalogue", () => {
  it("is saved as a whole from the version that was read", async () => {
    const put = vi.spyOn(api, "PUT").mockResolvedValue(answers({ ...catalogue, version: 4, newest: 4 }));
    await renderApp(<CatalogueForm catalogue={catalogue} block={undefined} />);
    const save = () => screen.getByRole("button", { name: "Save as a new version" });
    await waitFor(save);
    expect(save()).toHaveAttribute("aria-disabled", "true");
    await user.click(screen.getByRole("button", { name: "Add a set" }));
    const set = within(screen.getByRole("group", { name: "New set" }));
    await user.type(set.getByRole("textbox", { name: "Name" }), "ads");
    const named = within(screen.getByRole("group", { name: "ads" }));
    await user.type(named.getByRole("combobox", { name: "Domains" }), "ads.example{Enter}");
    await user.click(screen.getByRole("button", { name: "Remove the preset vision" }));
    await user.click(screen.getByRole("button", { name: "Add a preset" }));
    const preset = within(screen.getByRole("group", { name: "New preset" }));
    await user.type(preset.getByRole("textbox", { name: "Name" }), "ss");
    const called = within(screen.getByRole("group", { name: "ss" }));
    await user.click(called.getByRole("combobox", { name: "Protocol" }));
    await user.click(await screen.findByRole("option", { name: "Shadowsocks 2022" }));
    await user.click(save());
    expect(await screen.findByText("version 4")).toBeInTheDocument();
    expect(calls(put)[0]![1].body).toEqual({
      revision: 3,
      sets: [...catalogue.sets, { name: "ads", domain: ["ads.example"] }],
      presets: [{ name: "ss", protocol: "shadowsocks2022" }],
      geo_tokens: ["geosite:ru"],
    });
  });

  it("keeps what was typed when somebody else saves, and begins from theirs only when told to", async () => {
    const saved = await renderLive();
    await user.click(await screen.findByRole("button", { name: "Remove the set messengers" }));
    const theirs = { ...catalogue, version: 4, newest: 4, sets: [{ name: "video", geosite: ["youtube"] }] };
    saved(theirs);
    expect(await screen.findByText(/Version 4 was saved meanwhile/)).toBeInTheDocument();
    expect(screen.queryByRole("group", { name: "messengers" })).not.toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Drop it and begin from the newest" }));
    expect(screen.getByRole("group", { name: "video" })).toBeInTheDocument();
    expect(screen.queryByText(/saved meanwhile/)).not.toBeInTheDocument();
  });

  it("follows what somebody else saves while nothing was typed", async () => {
    const saved = await renderLive();
    saved({ ...catalogue, version: 5, newest: 5, sets: [{ name: "video", geosite: ["youtube"] }] });
    expect(await screen.findByRole("group", { name: "video" })).toBeInTheDocument();
    expect(screen.getByText("version 5")).toBeInTheDocument();
  });

  it("shows at the field what the panel refuses, and keeps what was typed", async () => {
    const errors = [{ field: "sets[0].domain[0]", code: "invalid_value", message: "write a domain" }];
    vi.spyOn(api, "PUT").mockResolvedValue(refuses({ status: 422, code: "invalid_value", errors }, 422));
    await renderApp(<CatalogueForm catalogue={catalogue} block={undefined} />);
    const set = within(await screen.findByRole("group", { name: "messengers" }));
    await user.type(set.getByRole("combobox", { name: "Domains" }), "bad domain{Enter}");
    await user.click(screen.getByRole("button", { name: "Save as a new version" }));
    expect(await set.findByText("write a domain")).toBeInTheDocument();
    expect(set.getByText("bad domain")).toBeInTheDocument();
  });
});
