import type { Page } from "@playwright/test";
import { test, type Populated } from "../rig/populated";
import { expect, passesGates, picture, restingBox, signIn } from "../rig/test";
import type { Stand } from "../rig/stand";

interface Drawn {
  nodes: { key: string; params?: { listener?: { port?: number } } }[];
  edges: { from: string; to: string; match?: { domain?: string[] } }[];
}

const rules = 12;

/** A flow whose entry has a dozen rules, each to an end of its own; drawn and not applied. */
async function dozen(stand: Stand, { token, node }: Populated): Promise<string> {
  const ends = Array.from({ length: rules }, (_, at) => ({ key: `end-${at}`, kind: "direct", title: `End ${at}` }));
  const graph = {
    nodes: [
      ...ends.toReversed(),
      {
        key: "entry",
        kind: "entry",
        node_id: node,
        params: { listener: { protocol: "shadowsocks2022", port: 18_443 } },
      },
      { key: "exit", kind: "exit", node_id: node },
    ],
    edges: [
      ...ends.map(({ key }, at) => ({
        from: "entry",
        to: key,
        priority: at,
        match: { domain: [`rule-${at}.example`] },
      })),
      { from: "entry", to: "exit" },
    ],
  };
  const made = await stand.call<{ id: string }>(token, "POST", "/api/v1/connection-units", {
    name: `Dozen ${Date.now()}`,
    graph,
  });
  return made.id;
}

const drawn = async (stand: Stand, { token }: Populated, id: string): Promise<Drawn> =>
  (await stand.call<{ graph: Drawn }>(token, "GET", `/api/v1/connection-units/${id}/draft`)).graph;

async function openGraph(page: Page, stand: Stand, id: string): Promise<void> {
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/flows/${id}/graph`);
  await expect(page.locator(".react-flow__node").first()).toBeVisible();
  await expect(page.getByText(/^Saved/)).toBeVisible();
}

/** How often two lines of the canvas cross, by points along them. */
async function crossings(page: Page): Promise<number> {
  return page.evaluate(() => {
    const lines = [...document.querySelectorAll<SVGPathElement>(".react-flow__edge-path")].map((path) =>
      Array.from({ length: 41 }, (_, at) => path.getPointAtLength((path.getTotalLength() * at) / 40)),
    );
    const side = (a: DOMPoint, b: DOMPoint, c: DOMPoint) => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    const cross = (a: DOMPoint, b: DOMPoint, c: DOMPoint, d: DOMPoint) =>
      side(a, b, c) * side(a, b, d) < -1e-6 && side(c, d, a) * side(c, d, b) < -1e-6;
    const meet = (one: DOMPoint[], other: DOMPoint[]) =>
      one.some((a, i) => i > 0 && other.some((c, j) => j > 0 && cross(one[i - 1]!, a, other[j - 1]!, c)));
    let count = 0;
    lines.forEach((one, at) => lines.slice(at + 1).forEach((other) => (count += meet(one, other) ? 1 : 0)));
    return count;
  });
}

test("a dozen rules are drawn without a crossing, and nothing jumps under the pointer", async ({
  page,
  stand,
  populated,
}) => {
  await openGraph(page, stand, await dozen(stand, populated));
  await expect(page.locator(".react-flow__edge")).toHaveCount(rules + 2);
  await page.keyboard.press("l");
  await expect.poll(() => crossings(page)).toBe(0);
  await expect(page.getByText(/^Saved/)).toBeVisible();
  await picture(page, "editor-dozen");

  for (const name of [/fra-01 entry/, /^Rules of/, /Direct: End 3/]) {
    const shape = page.locator(".react-flow__node").and(page.getByRole("group", { name }).or(page.getByLabel(name)));
    const before = await restingBox(shape.first());
    await page.mouse.click(before.x + 60, before.y + 20);
    await expect(page.getByRole("complementary").last()).toBeVisible();
    const after = await restingBox(shape.first());
    // Only what the side panel would cover moves, and then sideways alone.
    expect(Math.abs(after.y - before.y), `${name} stays at its height`).toBeLessThanOrEqual(1);
  }
  await passesGates(page);
  await picture(page, "editor-chosen");
});

test("a value that is not allowed is marked at its field, and saving goes on once it is right", async ({
  page,
  stand,
  populated,
}) => {
  const id = await dozen(stand, populated);
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/flows/${id}/graph`);
  await page.locator(".react-flow__node").filter({ hasText: "fra-01 entry" }).click();
  const port = page.getByLabel("Port", { exact: true });
  await port.fill("70000");
  await page.keyboard.press("Tab");
  await expect(page.getByText("Not saved: correct the marked value.")).toBeVisible();
  await expect(port).toHaveAttribute("aria-invalid", "true");
  await expect(page.getByText("Use a port from 1 to 65535").first()).toBeVisible();
  await picture(page, "editor-refused");
  await port.fill("9443");
  await page.keyboard.press("Tab");
  await expect(page.getByText(/^Saved/)).toBeVisible();
  await expect
    .poll(
      async () => (await drawn(stand, populated, id)).nodes.find(({ key }) => key === "entry")?.params?.listener?.port,
    )
    .toBe(9443);
  // The canvas reaches the end of the window again.
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollHeight - document.documentElement.clientHeight))
    .toBeLessThanOrEqual(0);
});

test("domains typed with commas and blanks are several domains", async ({ page, stand, populated }) => {
  const id = await dozen(stand, populated);
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/flows/${id}/graph`);
  await page.getByText("rule-0.example").first().click();
  const domains = page.getByRole("combobox", { name: "Domains", exact: true });
  await domains.fill("youtube.com, googlevideo.com ytimg.com");
  await domains.press("Enter");
  await expect
    .poll(async () => (await drawn(stand, populated, id)).edges.find(({ to }) => to === "end-0")?.match?.domain)
    .toEqual(["rule-0.example", "youtube.com", "googlevideo.com", "ytimg.com"]);
  await expect(page.getByText(/^Saved/)).toBeVisible();
  await picture(page, "editor-domains");
});

test("a second target opens a rule above everything else, and a new block is not red before something was typed", async ({
  page,
  stand,
  populated,
}) => {
  const { id } = await stand.call<{ id: string }>(populated.token, "POST", "/api/v1/connection-units", {
    name: `Blank ${Date.now()}`,
  });
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/flows/${id}/graph`);
  await page.getByRole("button", { name: "Add entry" }).first().click();
  await expect(page.getByText(/^Saved/)).toBeVisible();
  await expect
    .poll(() => page.evaluate(() => document.activeElement !== document.body), "the focus is not lost")
    .toBe(true);
  await expect(page.locator("[aria-invalid=true]")).toHaveCount(0);
  await expect(page.locator(".react-flow__node [data-wrong]")).toHaveCount(0);
  for (const kind of [/^Exit/, /^Direct/]) {
    await page.locator(".react-flow__node").first().click();
    await page.getByRole("button", { name: /^Add block/ }).click();
    await page.getByRole("menuitem", { name: kind }).click();
    await expect(page.getByText(/^Saved/)).toBeVisible();
  }
  await expect(page.getByText("New rule").first()).toBeVisible();
  await expect(page.getByText("Everything else").first()).toBeVisible();
  await expect(page.getByText(/Only one rule can be/)).toHaveCount(0);
  await picture(page, "editor-second-target");
});
