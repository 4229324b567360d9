import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactElement } from "react";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { componentId, makeNotice, makePage, makeWork, noticeId, pageId, pageOf, serve } from "../testing";
import MaintenancePage from "./maintenance-page";
import NoticePage from "./notice-page";
import NoticesPage from "./notices-page";

const pages = { "GET /pages": { body: { items: [makePage()] } } };

async function draw(element: ReactElement, route: string, path: string, replies: Parameters<typeof serve>[0]) {
  const served = serve({ ...pages, ...replies });
  return { ...served, ...(await renderApp(element, { queries: served.queries, route, path })) };
}

const list = (replies: Parameters<typeof serve>[0]) =>
  draw(<NoticesPage />, "/status-page/incidents", "/status-page/incidents", replies);

const one = (replies: Parameters<typeof serve>[0]) =>
  draw(<NoticePage />, "/status-page/incidents/$id", `/status-page/incidents/${noticeId}`, replies);

const works = (replies: Parameters<typeof serve>[0]) =>
  draw(<MaintenancePage />, "/status-page/maintenance", "/status-page/maintenance", replies);

describe("incidents of a page", () => {
  it("tell drafts from what readers see", async () => {
    await list({ "GET /incidents": pageOf(makeNotice(), makeNotice({ id: "d2", published: false })) });
    expect(await screen.findByText("Investigating")).toBeInTheDocument();
    expect(screen.getByText("Draft · Investigating")).toBeInTheDocument();
  });

  it("are written as drafts unless they are published at once", async () => {
    const { written } = await list({
      "GET /incidents": pageOf(),
      "POST /incidents": { status: 201, body: makeNotice({ published: false }) },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Write an incident" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Write an incident" }));
    await userEvent.type(dialog.getByRole("textbox", { name: /Title, English/ }), "Slow");
    await userEvent.type(dialog.getByRole("textbox", { name: /What happened, English/ }), "We look.");
    await userEvent.click(dialog.getByRole("button", { name: "Save as draft" }));
    await waitFor(() => expect(written()).toHaveLength(1));
    expect(written()[0]!.body).toEqual({
      page_id: pageId,
      titles: { en: "Slow" },
      bodies: { en: "We look." },
      impact: "minor",
      state: "investigating",
      component_ids: [],
      published: false,
    });
  });
});

describe("an incident", () => {
  it("goes on with what is known now", async () => {
    const { written } = await one({
      [`GET /incidents/${noticeId}`]: { body: makeNotice() },
      [`POST /incidents/${noticeId}/updates`]: { status: 201, body: makeNotice({ state: "identified" }) },
    });
    await userEvent.type(await screen.findByRole("textbox", { name: /What happened, English/ }), "Found.");
    await userEvent.click(screen.getByRole("button", { name: "Tell readers" }));
    await waitFor(() =>
      expect(written()).toEqual([
        {
          method: "POST",
          path: `/incidents/${noticeId}/updates`,
          body: { state: "investigating", bodies: { en: "Found." } },
        },
      ]),
    );
  });

  it("that is a draft is published only after a question", async () => {
    const { written } = await one({
      [`GET /incidents/${noticeId}`]: { body: makeNotice({ published: false, drafted_from: "h1" }) },
      [`POST /incidents/${noticeId}/publish`]: { body: makeNotice() },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Publish…" }));
    expect(written()).toEqual([]);
    const dialog = within(await screen.findByRole("dialog", { name: "Publish Slow connections?" }));
    await userEvent.click(dialog.getByRole("button", { name: "Publish" }));
    await waitFor(() => expect(written()).toHaveLength(1));
    expect(screen.getByRole("link", { name: "Health" })).toHaveAttribute("href", "/monitoring/incidents/h1");
  });

  it("that is resolved takes no more updates", async () => {
    await one({ [`GET /incidents/${noticeId}`]: { body: makeNotice({ state: "resolved" }) } });
    expect(await screen.findByText("What was said")).toBeInTheDocument();
    expect(screen.queryByText("What is known now")).toBeNull();
  });
});

describe("maintenance", () => {
  it("is announced for a window that lies ahead", async () => {
    const { written } = await works({
      "GET /maintenance": pageOf(),
      "POST /maintenance": { status: 201, body: makeWork() },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Announce maintenance" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Announce maintenance" }));
    await userEvent.type(dialog.getByRole("textbox", { name: /Title, English/ }), "New servers");
    await userEvent.click(dialog.getByRole("button", { name: "Announce" }));
    await waitFor(() => expect(written()).toHaveLength(1));
    const sent = written()[0]!.body as { starts_at: string; ends_at: string };
    expect(Date.parse(sent.ends_at) - Date.parse(sent.starts_at)).toBe(3_600_000);
    expect(Date.parse(sent.starts_at)).toBeGreaterThan(Date.now());
  });

  it("that goes on can be ended now", async () => {
    const { written } = await works({
      "GET /maintenance": pageOf(makeWork({ state: "active", component_ids: [componentId] })),
      [`POST /maintenance/${makeWork().id}/end`]: { body: makeWork({ state: "done" }) },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Actions for New servers" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "End it now…" }));
    await userEvent.click(await screen.findByRole("button", { name: "End" }));
    await waitFor(() => expect(written()).toHaveLength(1));
  });
});
