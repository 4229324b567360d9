import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { componentId, deployId, makeComponent, makeDeploy, makePage, makePreview, pageId, serve } from "../testing";
import StatusPagePage from "./page";
import { still } from "./preview";

const pages = "GET /pages";
const own = `/pages/${pageId}`;

async function draw(replies: Parameters<typeof serve>[0], permissions?: string[]) {
  const served = serve(
    { [`GET ${own}/bars`]: { body: { items: [] } }, [`GET ${own}/preview`]: { body: "<p>page</p>" }, ...replies },
    permissions,
  );
  const route = "/status-page";
  /** What was sent but to be looked at. */
  const written = () => served.written().filter(({ path }) => path !== `${own}/preview`);
  return {
    ...served,
    written,
    ...(await renderApp(<StatusPagePage />, { queries: served.queries, route, path: route })),
  };
}

const titleField = () => screen.findByRole("textbox", { name: /Title, English/ });

describe("a status page", () => {
  it("begins with a title, a word for the address, and nothing published", async () => {
    const { written } = await draw({
      [pages]: { body: { items: [] } },
      "POST /pages": { status: 201, body: makePage() },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Create a status page" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Create a status page" }));
    await userEvent.type(dialog.getByRole("textbox", { name: /Title/ }), "Example");
    await userEvent.type(dialog.getByRole("textbox", { name: /Word in the address/ }), "Service");
    await userEvent.click(dialog.getByRole("button", { name: "Create a status page" }));
    await waitFor(() =>
      expect(written()).toEqual([
        { method: "POST", path: "/pages", body: { slug: "service", titles: { en: "Example" }, default_locale: "en" } },
      ]),
    );
  });

  it("is saved with the revision that was read", async () => {
    const page = makePage();
    const { written } = await draw({
      [pages]: { body: { items: [page] } },
      [`PATCH ${own}`]: { body: { ...page, titles: { en: "New", ru: "Статус Example" }, revision: 5 } },
    });
    await userEvent.clear(await titleField());
    await userEvent.type(await titleField(), "New");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() =>
      expect(written()).toEqual([
        { method: "PATCH", path: own, body: { titles: { en: "New", ru: "Статус Example" }, revision: 4 } },
      ]),
    );
  });

  it("keeps what was typed when somebody else saved before, and offers both", async () => {
    const page = makePage();
    await draw({
      [pages]: [{ body: { items: [page] } }, { body: { items: [{ ...page, slug: "theirs", revision: 5 }] } }],
      [`PATCH ${own}`]: { status: 409, body: { status: 409, code: "revision_conflict" } },
    });
    await userEvent.clear(await titleField());
    await userEvent.type(await titleField(), "Mine");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByRole("button", { name: "Overwrite with mine" })).toBeInTheDocument();
    expect(await titleField()).toHaveValue("Mine");
  });

  it("moves components and hides them from readers", async () => {
    const second = makeComponent({ id: "c2", names: { en: "Asia" }, visible: false });
    const page = makePage({ components: [makeComponent(), second] });
    const { written } = await draw({
      [pages]: { body: { items: [page] } },
      [`PUT ${own}/components`]: { body: { ...page, revision: 5 } },
    });
    expect(await screen.findByLabelText("Readers do not see it")).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Move Asia up" }));
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(written()).toHaveLength(1));
    const sent = written()[0]!.body as { components: { id: string }[]; revision: number };
    expect(sent.components.map(({ id }) => id)).toEqual(["c2", componentId]);
    expect(sent.revision).toBe(4);
  });

  it("says of a component that what it stood for is gone", async () => {
    await draw({ [pages]: { body: { items: [makePage({ components: [makeComponent({ source_name: "" })] })] } } });
    expect(await screen.findByText("Flow is gone: choose another")).toBeInTheDocument();
  });

  it("cannot be changed by those who may only see it", async () => {
    await draw({ [pages]: { body: { items: [makePage()] } } }, ["statuspage.view"]);
    expect(await titleField()).toBeDisabled();
    expect(screen.getByRole("button", { name: "Deploy…" })).toHaveAttribute("aria-disabled", "true");
  });

  it("shows what is typed before it is saved, and stores nothing of it", async () => {
    const { asked, written } = await draw({
      [pages]: { body: { items: [makePage()] } },
      [`POST ${own}/preview`]: { body: { html: "<p>typed</p>" } },
    });
    await userEvent.clear(await titleField());
    await userEvent.type(await titleField(), "New");
    const frame = screen.getByTitle<HTMLIFrameElement>("Preview");
    await waitFor(() => expect(frame.srcdoc).toBe("<p>typed</p>"));
    expect(screen.getByText("with what you have typed")).toBeInTheDocument();
    const seen = () => asked.filter(({ method, path }) => method === "POST" && path === `${own}/preview`).at(-1)?.body;
    const titles = { en: "New", ru: "Статус Example" };
    await waitFor(() => expect(seen()).toEqual({ titles, locale: "en", mode: "light" }));
    expect(written()).toEqual([]);
  });

  it("keeps its last preview while what is typed cannot be shown, and says why", async () => {
    const errors = [{ field: "titles.en", code: "invalid_value", message: "a title is needed" }];
    await draw({
      [pages]: { body: { items: [makePage()] } },
      [`POST ${own}/preview`]: { status: 422, body: { status: 422, code: "invalid_value", errors } },
    });
    const frame = await screen.findByTitle<HTMLIFrameElement>("Preview");
    const before = frame.srcdoc;
    await userEvent.clear(await titleField());
    expect(await screen.findByText(/not shown yet: a title is needed/)).toBeInTheDocument();
    expect(screen.getByTitle<HTMLIFrameElement>("Preview").srcdoc).toBe(before);
  });

  it("lets the styles of its preview in by the nonce of the panel, and no script", async () => {
    await draw({ [pages]: { body: { items: [makePage()] } } });
    const frame = await screen.findByTitle<HTMLIFrameElement>("Preview");
    expect(frame.getAttribute("sandbox")).toBe("");
    expect(still("<style>a{}</style><script>b()</script>")).toBe('<style nonce="">a{}</style>');
  });
});

describe("a deploy", () => {
  it("shows what changes and where before it begins, and follows to the end", async () => {
    const { written } = await draw({
      [pages]: { body: { items: [makePage()] } },
      [`GET ${own}/deploy-preview`]: { body: makePreview() },
      [`POST ${own}/deploy`]: { status: 202, body: makeDeploy({ state: "queued" }) },
      [`GET /deploys/${deployId}`]: { body: makeDeploy() },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Deploy…" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Deploy the page?" }));
    expect(await dialog.findByText("https://status.example.org")).toBeInTheDocument();
    expect(dialog.getByText("Revision 3 becomes 4.")).toBeInTheDocument();
    expect(dialog.getByText("Old status")).toBeInTheDocument();
    expect(dialog.getByText("index.html")).toBeInTheDocument();
    expect(dialog.queryByText("assets/a.css")).toBeNull();
    await userEvent.click(dialog.getByRole("button", { name: "Deploy" }));
    expect(await screen.findByRole("dialog", { name: "Deploying" })).toBeInTheDocument();
    expect(await screen.findAllByText("Live")).toHaveLength(2);
    expect(written()).toEqual([{ method: "POST", path: `${own}/deploy`, body: { revision: 4 } }]);
  });

  it("is closed without a place, and leads to where one is added", async () => {
    await draw({
      [pages]: { body: { items: [makePage()] } },
      [`GET ${own}/deploy-preview`]: { body: makePreview({ targets: [] }) },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Deploy…" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Deploy the page?" }));
    expect(await dialog.findByRole("link", { name: "Add one" })).toHaveAttribute(
      "href",
      expect.stringContaining("/status-page/publishing"),
    );
    expect(dialog.getByRole("button", { name: "Deploy" })).toHaveAttribute("aria-disabled", "true");
  });

  it("says that another one goes on", async () => {
    await draw({
      [pages]: { body: { items: [makePage()] } },
      [`GET ${own}/deploy-preview`]: { body: makePreview() },
      [`POST ${own}/deploy`]: { status: 409, body: { status: 409, code: "deploy_active" } },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Deploy…" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Deploy the page?" }));
    await userEvent.click(await dialog.findByRole("button", { name: "Deploy" }));
    expect(await dialog.findByRole("alert")).toBeInTheDocument();
  });

  it("says where it failed, and that readers go on seeing the old page", async () => {
    const failed = makeDeploy({ state: "failed" });
    failed.targets[0] = { ...failed.targets[0]!, state: "failed", error: "the bucket refused the key" };
    await draw({
      [pages]: { body: { items: [makePage()] } },
      [`GET ${own}/deploy-preview`]: { body: makePreview() },
      [`POST ${own}/deploy`]: { status: 202, body: makeDeploy({ state: "queued" }) },
      [`GET /deploys/${deployId}`]: { body: failed },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Deploy…" }));
    await userEvent.click(await screen.findByRole("button", { name: "Deploy" }));
    expect(await screen.findByText("the bucket refused the key")).toBeInTheDocument();
    expect(screen.getByText(/readers go on seeing the page as it was/)).toBeInTheDocument();
  });
});
