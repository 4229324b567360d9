import type { Page } from "@playwright/test";
import { inEveryLook } from "../rig/looks";
import { test as base, type Populated } from "../rig/populated";
import { eventually } from "../rig/processes";
import { ProxyPanel } from "../rig/proxy-panel";
import type { Stand } from "../rig/stand";
import { expect, passesGates, picture, signIn } from "../rig/test";

interface Named {
  id: string;
  name: string;
}

/** A panel that is connected with a Remnawave, whose squads it has read. */
const test = base.extend<object, { squad: string }>({
  squad: [
    async ({ stand, populated: { token } }, use) => {
      const panel = new ProxyPanel(stand.folder);
      await panel.serve();
      const made = await fetch(`${panel.url}/api/internal-squads`, {
        method: "POST",
        headers: { Authorization: `Bearer ${await panel.token(1, ["*"])}`, "Content-Type": "application/json" },
        body: JSON.stringify({ name: "Everybody", inbounds: [] }),
      });
      expect(made.status).toBe(201);
      const api = "/api/v1/proxypanel";
      const { items } = await stand.call<{ items: { scope: string }[] }>(token, "GET", `${api}/scopes`);
      const scopes = items.map(({ scope }) => scope);
      const body = { label: "Remnawave", base_url: panel.url, token: await panel.token(300, scopes) };
      const { id } = await stand.call<Named>(token, "POST", `${api}/connections`, body);
      await stand.call(token, "POST", `${api}/connections/${id}/sync`);
      const squads = () => stand.call<{ items: Named[] }>(token, "GET", `${api}/connections/${id}/squads`);
      const squad = await eventually("squads that were read", 60, async () => {
        const [first] = (await squads()).items;
        if (!first) throw new Error("no squad yet");
        return first.name;
      });
      await use(squad);
      await panel.close();
    },
    { scope: "worker", timeout: 400_000 },
  ],
});

async function drawnFlow(stand: Stand, { token, node }: Populated): Promise<string> {
  const listener = { protocol: "vless", port: 28_443, reality: { target: "www.example.org:443" } };
  const graph = {
    nodes: [
      { key: "entry", kind: "entry", node_id: node, params: { listener } },
      { key: "exit", kind: "exit", node_id: node },
    ],
    edges: [{ from: "entry", to: "exit" }],
  };
  const name = `Served ${Date.now()}`;
  return (await stand.call<Named>(token, "POST", "/api/v1/connection-units", { name, graph })).id;
}

const served = (page: Page) => page.locator(".react-flow__node").getByText("Served by Remnawave");

test("an entry is given to a proxy panel, for the users of a squad", async ({ page, stand, populated, squad }) => {
  const id = await drawnFlow(stand, populated);
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/flows/${id}/graph`);
  await page.locator(".react-flow__node").first().click();
  const form = page.getByRole("complementary", { name: /fra-01/ });
  await form.getByRole("combobox", { name: "Served by" }).click();
  await page.getByRole("option", { name: "Remnawave" }).click();
  await form.getByRole("combobox", { name: /^Squads/ }).click();
  await page.getByRole("option", { name: squad }).click();
  await page.keyboard.press("Escape");
  await form.getByRole("textbox", { name: "Name that users see" }).fill("Germany");
  await expect(served(page)).toBeVisible();
  await expect(page.getByText(/^Saved/)).toBeVisible();
  await passesGates(page);
  await picture(page, "served-form");
  const draft = await stand.call<{
    graph: { nodes: { key: string; params?: { proxypanel?: { remark?: string } } }[] };
  }>(populated.token, "GET", `/api/v1/connection-units/${id}/draft`);
  expect(draft.graph.nodes.find(({ key }) => key === "entry")!.params!.proxypanel!.remark).toBe("Germany");

  await page.reload();
  await expect(served(page)).toBeVisible();
  await inEveryLook(page, "served-block", /Served by Remnawave|Обслуживает Remnawave/);
});
