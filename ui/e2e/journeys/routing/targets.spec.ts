import { createSecureServer, type Http2SecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { makeCertificate } from "../../rig/certificate";
import { inBothThemes } from "../../rig/looks";
import { reportingNode, test as base } from "../../rig/populated";
import { eventually } from "../../rig/processes";
import { expect, passesGates, picture, signIn } from "../../rig/test";

interface Scout {
  node: string;
  name: string;
  /** host:port of a site that is fit to be a target. */
  target: string;
}

/** A node whose agent may look at a site of this machine, which it trusts. */
const test = base.extend<object, { scout: Scout }>({
  scout: [
    async ({ stand, populated }, use) => {
      const folder = join(stand.folder, "site");
      const { chain, key, chainFile } = await makeCertificate(folder, ["site.example.org"], 30);
      const site = await serve(chain, key);
      const name = "lon-07";
      const node = await reportingNode(stand, populated.token, name, {
        PANEL_OUTBOUND_ALLOW: "127.0.0.0/8",
        SSL_CERT_FILE: chainFile,
      });
      await use({ node, name, target: `127.0.0.1:${(site.address() as AddressInfo).port}` });
      await stand.call(populated.token, "DELETE", `/api/v1/nodes/${node}`);
      site.close();
    },
    { scope: "worker", timeout: 360_000 },
  ],
});

async function serve(cert: string, key: string): Promise<Http2SecureServer> {
  const site = createSecureServer({ cert, key, allowHTTP1: true }, (_, response) => response.end("a page"));
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  return site;
}

async function inEveryLook(page: Page, name: string): Promise<void> {
  for (const [language, theme, width] of [
    ["en", "dark", 1360],
    ["ru", "light", 1360],
    ["ru", "dark", 768],
    ["en", "light", 390],
    ["ru", "dark", 390],
  ] as const) {
    await page.evaluate(
      ([to, paint]) => (localStorage.setItem("panel-language", to), localStorage.setItem("panel-theme", paint)),
      [language, theme] as const,
    );
    await page.setViewportSize({ width, height: 900 });
    await page.reload();
    await expect(page.locator("html")).toHaveAttribute("lang", language);
    await expect(page.getByText("site.example.org").first()).toBeVisible();
    await passesGates(page);
    await picture(page, `${name}-${language}-${theme}-${width}`);
  }
  await page.evaluate(
    () => (localStorage.setItem("panel-language", "en"), localStorage.setItem("panel-theme", "dark")),
  );
  await page.setViewportSize({ width: 1360, height: 860 });
  await page.reload();
}

test("a search from a node shows live what each target is worth and why", async ({ page, stand, scout }) => {
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/targets`);
  await page.getByRole("button", { name: "Search", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Search for targets" });
  await dialog.getByRole("combobox", { name: "Node" }).fill(scout.name);
  await page.getByRole("option", { name: scout.name }).click();
  const hosts = dialog.getByRole("textbox", { name: "Hosts, one per line" });
  await hosts.fill(`${scout.target}\n10.0.0.1`);
  await dialog.getByRole("button", { name: "Search", exact: true }).click();
  await expect(dialog.getByText(/^10\.0\.0\.1: /)).toBeVisible();
  await passesGates(page);
  await picture(page, "targets-form");
  await hosts.fill(`${scout.target}\n127.0.0.1:1\nnobody.example.invalid`);
  await dialog.getByRole("button", { name: "Search", exact: true }).click();

  await page.waitForURL(/\/targets\/[0-9a-f-]{36}/);
  await expect(page.getByText("3 of 3 tried, 1 of use")).toBeVisible();
  const found = page.getByRole("row").filter({ hasText: "site.example.org" });
  await expect(found.getByText("acceptable")).toBeVisible();
  await expect(found.getByText("its name leads to another address")).toBeVisible();
  await inEveryLook(page, "targets-search");
  await page.getByRole("button", { name: /site\.example\.org/ }).click();
  await expect(page.getByRole("dialog").getByText("speaks TLS 1.3")).toBeVisible();
  await passesGates(page);
  await picture(page, "targets-result");

  await page.goto(`${stand.url}/targets`);
  await expect(page.getByRole("link", { name: scout.name }).first()).toBeVisible();
  await passesGates(page);
  await picture(page, "targets-list");
});

test("a target is found from the editor, and the draft compiles with its result", async ({
  page,
  stand,
  populated,
  scout,
}) => {
  const call = <T>(method: string, path: string, body?: unknown) =>
    stand.call<T>(populated.token, method, `/api/v1/connection-units${path}`, body);
  const listener = { protocol: "vless", port: 28446, security: "reality", reality: { target: "www.example.org:443" } };
  const { id } = await call<{ id: string }>("POST", "", {
    name: `Found ${Date.now()}`,
    graph: {
      nodes: [
        { key: "entry", kind: "entry", node_id: scout.node, params: { listener } },
        { key: "exit", kind: "exit", node_id: scout.node },
      ],
      edges: [{ from: "entry", to: "exit" }],
    },
  });
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/flows/${id}/graph`);
  await page
    .locator(".react-flow__node")
    .filter({ hasText: `${scout.name} entry` })
    .click();
  await page.getByRole("button", { name: "Find a target" }).click();
  const dialog = page.getByRole("dialog", { name: "Find a target" });
  await dialog.getByRole("textbox", { name: "Hosts, one per line" }).fill(scout.target);
  await dialog.getByRole("button", { name: "Search", exact: true }).click();
  await expect(dialog.getByText("acceptable", { exact: true }).last()).toBeVisible();
  await passesGates(page);
  await picture(page, "targets-editor-results");
  await dialog.getByRole("button", { name: "Use", exact: true }).click();

  await expect(page.getByLabel("REALITY target", { exact: true })).toHaveValue(scout.target);
  await expect(page.getByText(/^Taken from a search/)).toBeVisible();
  await expect(page.getByText(/^Saved/)).toBeVisible();
  await passesGates(page);
  await picture(page, "targets-editor-used");
  const reality = async () => {
    const { graph } = await call<{ graph: { nodes: { params?: { listener?: { reality?: object } } }[] } }>(
      "GET",
      `/${id}/draft`,
    );
    return graph.nodes[0]!.params!.listener!.reality;
  };
  await expect.poll(reality).toMatchObject({ target: scout.target, server_names: ["site.example.org"] });

  // The result counts for the node that it was searched from: on another one the plan has no way around.
  const draft = await call<{ revision: number; graph: { nodes: { node_id: string }[] } }>("GET", `/${id}/draft`);
  for (const block of draft.graph.nodes) block.node_id = populated.node;
  await call("PUT", `/${id}/draft`, { revision: draft.revision, graph: draft.graph });
  await page.goto(`${stand.url}/flows/${id}/graph`);
  await expect(page.getByText(/found from another node/).first()).toBeVisible();
  await expect(page.getByRole("button", { name: /anyway/ })).toHaveCount(0);
  await inBothThemes(page, "targets-stale");
  await call("DELETE", `/${id}`);
});

test("a search leaves what runs as it is", async ({ stand, populated, scout }) => {
  const running = () =>
    stand.call<object>(
      populated.token,
      "GET",
      `/api/v1/connection-units/${populated.flow}/rendered?node_id=${populated.node}`,
    );
  const before = await running();
  const { id } = await stand.call<{ id: string }>(populated.token, "POST", "/api/v1/target-search/check", {
    node_id: scout.node,
    target: scout.target,
  });
  await eventually("a search that has ended", 60, async () => {
    const { state } = await stand.call<{ state: string }>(populated.token, "GET", `/api/v1/target-search/${id}`);
    return state === "running" ? undefined : true;
  });
  expect(await running()).toEqual(before);
});
