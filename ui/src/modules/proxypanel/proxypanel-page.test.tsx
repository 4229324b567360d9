import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { licenseQuery } from "@/api/access";
import { makeLicense } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import { findConnections } from "./find-connections";
import module from "./module";
import ProxypanelPage from "./proxypanel-page";
import { connectionId, inDays, makeConnection, pageOf, scopes, serve } from "./testing";

const list = "GET /proxypanel/connections";
const one = `/proxypanel/connections/${connectionId}`;

const base = () => ({
  [list]: pageOf(makeConnection()),
  "GET /proxypanel/scopes": { body: { items: scopes } },
  "GET /setup/state": { body: { finished: true } },
});

async function page(more: Parameters<typeof serve>[0] = {}, permissions?: string[]) {
  const panel = serve({ ...base(), ...more }, permissions);
  await renderApp(<ProxypanelPage />, { queries: panel.queries });
  return panel;
}

const card = async (name = "Main") => within(await screen.findByRole("region", { name }));

describe("a connection", () => {
  it("shows its state, version, figures, and the end of its token", async () => {
    await page();
    const main = await card();
    expect(main.getByText("https://panel.example.com")).toBeInTheDocument();
    expect(main.getByText("Works")).toBeInTheDocument();
    expect(main.getByText("3.3.2")).toBeInTheDocument();
    expect(main.getByText("56 online")).toBeInTheDocument();
    expect(main.getByText("3 of 4 online")).toBeInTheDocument();
    expect(main.getByText("1 disabled")).toBeInTheDocument();
    expect(main.getByText("answered in 23 ms")).toBeInTheDocument();
    expect(main.getByText("Token").nextSibling).toHaveTextContent(/^expires in /);
  });

  it("says what is wrong, what to do, the words of the other side, and when it worked last", async () => {
    const trouble = { state: "unreachable", cause: "panel_failed", detail: "out of memory" } as const;
    await page({ [list]: pageOf(makeConnection({ ...trouble, last_ok_at: inDays(-2) })) });
    const main = await card();
    expect(main.getByText("Cannot be reached")).toBeInTheDocument();
    expect(main.getByText("The proxy panel answers with an error.")).toBeInTheDocument();
    expect(main.getByText(/^Look at its log, and at that of the reverse proxy/)).toBeInTheDocument();
    expect(main.getByText("Details: out of memory")).toBeInTheDocument();
    expect(main.getByText(/^The connection worked last/)).toHaveTextContent(/2 d.* ago$/);
  });

  it("says so where it has never worked", async () => {
    const trouble = { state: "gate", cause: "gate_page", last_ok_at: null, panel: null, version: "" } as const;
    await page({ [list]: pageOf(makeConnection({ ...trouble, checked_at: null, latency_ms: null })) });
    const main = await card();
    expect(main.getByText("This connection has never worked.")).toBeInTheDocument();
    expect(main.getByText("Users there").nextSibling).toHaveTextContent("—");
    expect(main.getByText("Last look").nextSibling).toHaveTextContent("not yet");
  });

  it("names the scopes that its token lacks, by what cannot be done without them", async () => {
    const missing_scopes = ["users:disable", "hosts:write", "comets:read"];
    await page({
      [list]: pageOf(makeConnection({ state: "degraded", cause: "scope_missing", missing_scopes })),
    });
    const missing = within(await (await card()).findByRole("group", { name: "Scopes that the token lacks" }));
    const under = async (words: RegExp) => (await missing.findByText(words)).nextSibling;
    await waitFor(async () => expect(await under(/cannot read users/)).toHaveTextContent(/^comets:read$/));
    expect(await under(/who misuse the service/)).toHaveTextContent(/^users:disable$/);
    expect(await under(/no flow can be served/)).toHaveTextContent(/^hosts:write$/);
  });

  it("counts the nodes that are down, in the page's own words", async () => {
    const panel = { users: 1, users_online: 0, nodes: 5, nodes_online: 2, nodes_disabled: 1, webhooks: null };
    await page({
      [list]: pageOf(
        makeConnection({ state: "degraded", cause: "nodes_down", detail: "2 of 5 nodes are down", panel }),
      ),
    });
    const main = await card();
    expect(main.getByText("2 of 5 nodes there are down.")).toBeInTheDocument();
    expect(main.queryByText(/^Details/)).not.toBeInTheDocument();
  });

  it.each([
    ["warns of a token that ends soon", inDays(5), "expires in 5 d"],
    ["says that a token has ended", inDays(-3), "expired 3 d ago"],
  ])("%s", async (_, token_expires_at, words) => {
    await page({ [list]: pageOf(makeConnection({ token_expires_at })) });
    const fact = (await card()).getByText("Token").nextSibling!;
    expect(fact).toHaveTextContent(words.split(" ")[0]!);
    expect((fact as Element).querySelector("[data-tone]")).not.toHaveAttribute("data-quiet");
  });

  it("says by what it is reached, and that a version is newer than what was tried", async () => {
    const parts = { direct: true, has_cookie: true, has_client_certificate: true, token_expires_at: null };
    await page({ [list]: pageOf(makeConnection({ ...parts, compatibility: "untested" })) });
    const main = await card();
    expect(main.getByText("token, direct mode, cookie, client certificate")).toBeInTheDocument();
    expect(main.getByText("does not expire")).toBeInTheDocument();
    expect(main.getByText("newer than tested")).toBeInTheDocument();
  });
});

describe("the test", () => {
  it("shows what it found in its place, and the list follows", async () => {
    const broken = makeConnection({ state: "auth", cause: "token_refused", checked_at: "2026-03-11T12:00:05Z" });
    const panel = await page({
      [list]: [pageOf(makeConnection()), pageOf(broken)],
      [`POST ${one}/test`]: { body: broken },
    });
    await userEvent.click((await card()).getByRole("button", { name: "Test" }));
    expect(await screen.findByText(/^Tested at .*: Access refused$/)).toBeInTheDocument();
    expect(await screen.findByText("The proxy panel does not accept the token.")).toBeInTheDocument();
    expect(panel.written().map(({ path }) => path)).toEqual([`${one}/test`]);
  });

  it("says why the panel did not test", async () => {
    const gone = { status: 503, body: { status: 503, code: "degraded", detail: "no database" } };
    await page({ [`POST ${one}/test`]: gone });
    await userEvent.click((await card()).getByRole("button", { name: "Test" }));
    expect(await screen.findByText(/degraded/)).toBeInTheDocument();
  });
});

describe("disconnecting", () => {
  it("says what it means here and there before it is done", async () => {
    const panel = await page({ [list]: [pageOf(makeConnection()), pageOf()], [`DELETE ${one}`]: { status: 204 } });
    await userEvent.click((await card()).getByRole("button", { name: "Actions for Main" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Disconnect" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Disconnect Main?" }));
    expect(dialog.getByText(/users are served as before/)).toBeInTheDocument();
    expect(dialog.getByText(/Delete it there as well/)).toBeInTheDocument();
    await userEvent.click(dialog.getByRole("button", { name: "Disconnect" }));
    expect(await screen.findByText("No proxy panel is connected")).toBeInTheDocument();
    expect(panel.written()).toMatchObject([{ method: "DELETE", path: one }]);
  });
});

describe("acts", () => {
  it("are closed to whoever may only look, and say why", async () => {
    await page({}, ["proxypanel.view"]);
    const main = await card();
    for (const name of ["Test", "Change"])
      expect(main.getByRole("button", { name })).toHaveAttribute("aria-disabled", "true");
    const [closed] = screen.getAllByText(/proxypanel\.manage/);
    expect(closed).toBeInTheDocument();
  });

  it("are closed by a license without the feature; the list stays", async () => {
    const panel = serve(base());
    panel.queries.setQueryData(
      licenseQuery.queryKey,
      makeLicense({ features: { enabled: [], blocked: ["proxypanel"] } }),
    );
    await renderApp(<ProxypanelPage />, { queries: panel.queries });
    expect((await card()).getByText("Works")).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Connect a panel" })).toHaveAttribute("aria-disabled", "true");
  });
});

describe("without a connection", () => {
  it("the page leads to connecting one; a fresh one is set up in the first installation only", async () => {
    await page({ [list]: pageOf() });
    expect(await screen.findByText("No proxy panel is connected")).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Connect a panel" })).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Set up a fresh panel" })).not.toBeInTheDocument();
  });

  it("a failure to read is told, and can be repeated", async () => {
    const fails = { status: 503, body: { status: 503, code: "degraded" } };
    await page({ [list]: [fails, pageOf(makeConnection())] });
    expect(await screen.findByText("Could not read the connections")).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: /again|retry/i }));
    expect((await card()).getByText("Works")).toBeInTheDocument();
  });
});

describe("elsewhere", () => {
  it("the palette finds connections by label and address", async () => {
    serve({ [list]: pageOf(makeConnection(), makeConnection({ label: "Test", base_url: "https://t.example.net" })) });
    await renderApp(<p />);
    const names = async (q: string) =>
      (await findConnections(q, new AbortController().signal)).map(({ name, path, status }) => [name, path, status]);
    const works = { kind: "healthy", text: "Works" };
    expect(await names("mai")).toEqual([["Main", `/proxypanel/${connectionId}`, works]]);
    expect(await names("EXAMPLE.NET")).toEqual([["Test", expect.stringMatching("^/proxypanel/.+"), works]]);
    expect(await names("nobody")).toEqual([]);
  });

  it("events of the module make what is known of connections stale", () => {
    const refresh = (kind: string) => module.refresh!({ kind } as Parameters<NonNullable<typeof module.refresh>>[0]);
    expect(refresh("proxypanel.connection_failed")).toEqual([["proxypanel"]]);
    expect(refresh("node.created")).toEqual([]);
  });
});
