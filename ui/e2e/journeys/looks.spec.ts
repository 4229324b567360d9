import type { Locator, Page } from "@playwright/test";
import { test } from "../rig/populated";
import { expect, picture, restingBox, signIn, type Box } from "../rig/test";

test.describe.configure({ mode: "serial" });

const overlap = (a: Box, b: Box) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

test("the matrix of permissions keeps the names of keys and people in sight", async ({ page, stand, populated }) => {
  const made: string[] = [];
  for (let number = 1; number <= 12; number += 1) {
    const username = `operator-of-shift-${number}`;
    const account = { username, password: "another long sentence", permissions: ["nodes.view"] };
    made.push((await stand.call<{ id: string }>(populated.token, "POST", "/api/v1/accounts", account)).id);
  }
  try {
    await signIn(page, stand.url);
    await page.goto(`${stand.url}/accounts`);
    const matrix = page.getByRole("table");
    const last = matrix.getByRole("columnheader", { name: /operator-of-shift-9/ });
    await expect(last).toBeVisible();
    await matrix.evaluate((table) => table.parentElement!.scrollTo(10_000, 10_000));

    const key = matrix.getByRole("rowheader").filter({ hasText: "nodes.view" });
    const [corner, row] = [await restingBox(matrix.locator("thead td").first()), await restingBox(key)];
    expect([row.x, row.width]).toEqual([corner.x, corner.width]);
    await expect(last).toBeInViewport();
    const unnamed = await matrix.evaluate((table) => {
      const { left, right } = table.parentElement!.getBoundingClientRect();
      const edge = table.querySelector("thead td")!.getBoundingClientRect().right;
      const inSight = ({ left: from, right: to }: DOMRect) => from < right && to > Math.max(left, edge);
      const heads = [...table.querySelectorAll("thead th")].map((head) => head.getBoundingClientRect());
      const cells = [...table.querySelectorAll("tbody tr:last-child td")].map((cell) => cell.getBoundingClientRect());
      return cells.filter(inSight).filter((cell) => !heads.some((head) => Math.abs(head.left - cell.left) < 1)).length;
    });
    expect(unnamed, "columns without a name").toBe(0);
    await picture(page, "matrix-scrolled");
  } finally {
    for (const id of made) await stand.call(populated.token, "DELETE", `/api/v1/accounts/${id}`, {});
  }
});

/** Lets the file of all nodes fail, which is told by a message that stays. */
async function failedMessage(page: Page, url: string): Promise<Locator> {
  const refusal = {
    type: "about:blank",
    status: 503,
    code: "unavailable",
    title: "Busy",
    request_id: "req-of-this-test",
  };
  await page.route(/\/api\/v1\/nodes\?.*limit=200/, (route) =>
    route.fulfill({ status: 503, contentType: "application/problem+json", body: JSON.stringify(refusal) }),
  );
  await page.goto(`${url}/nodes`);
  await page.getByRole("button", { name: "CSV" }).click();
  const message = page.getByRole("alert").filter({ hasText: "req-of-this-test" });
  await expect(message).toBeVisible();
  return message;
}

test("a message has one mark, tells code and request apart, and covers no tool", async ({ page, stand, populated }) => {
  await signIn(page, stand.url);
  const message = await failedMessage(page, stand.url);
  await expect(message).toContainText("unavailable · req-of-this-test");
  const disc = message.locator(".mantine-Notification-icon");
  expect(await disc.evaluate((icon) => getComputedStyle(icon).backgroundColor)).toBe("rgba(0, 0, 0, 0)");
  await expect(disc.locator("svg")).toHaveCount(1);

  // The second key counts for a second and a half, which a busy machine may take.
  await expect(async () => {
    await page.keyboard.press("g");
    await page.keyboard.press("f");
    await expect(page).toHaveURL(/\/flows/, { timeout: 3_000 });
  }).toPass();
  await page.getByRole("link", { name: "Second office" }).first().click();
  const view = page.getByRole("toolbar", { name: "View of the graph" });
  await expect(view).toBeVisible();
  await expect(message).toBeVisible();
  const box = await restingBox(message);
  const tools = [view, page.getByRole("button", { name: /^Add block/ }), page.getByLabel("Trace a domain, IP or port")];
  for (const tool of tools) expect(overlap(box, await restingBox(tool))).toBe(false);
  await picture(page, "message");
  expect(populated.draft).not.toBe("");
});

test("cards keep their distance, and bars of one list have one length", async ({ page, stand, populated }) => {
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/flows/${populated.flow}/applies/${populated.apply}`);
  const [steps, log] = [page.getByRole("table"), page.getByRole("log")];
  await expect(log).toBeVisible();
  const [above, below] = [await restingBox(steps), await restingBox(log)];
  expect(below.y - (above.y + above.height), "between the steps and the log").toBeGreaterThanOrEqual(16);

  await page.goto(`${stand.url}/updates`);
  const bars = page.locator("[class*=share]");
  await expect(bars.first()).toBeVisible();
  const boxes = await Promise.all((await bars.all()).map(restingBox));
  expect(new Set(boxes.map(({ x, width }) => `${x} ${width}`)).size).toBe(1);
});

test("what a plan interrupts stands in one column, whatever its word", async ({ page, stand, populated }) => {
  const path = `/api/v1/connection-units/${populated.flow}/plans/${populated.plan}`;
  const plan = await stand.call<{ steps: object[] }>(populated.token, "GET", path);
  const steps = ["none", "reload", "restart"].map((interruption, at) => ({
    ...plan.steps[0],
    interruption,
    node_id: `00000000-0000-0000-0000-00000000000${at}`,
    node_name: ["fra-01", "a-name-of-some-length", "lon-01"][at],
  }));
  await signIn(page, stand.url);
  await page.route(`**${path}`, (route) => route.fulfill({ json: { ...plan, steps } }));
  for (const language of ["en", "ru"]) {
    await page.evaluate((to) => localStorage.setItem("panel-language", to), language);
    await page.goto(`${stand.url}/flows/${populated.flow}/plans/${populated.plan}`);
    const chips = page.locator("[class*=_interruption_] > *");
    await expect(chips).toHaveCount(steps.length);
    const lefts = () => chips.evaluateAll((all) => [...new Set(all.map((chip) => chip.getBoundingClientRect().x))]);
    await expect.poll(lefts, "left ends of the chips").toHaveLength(1);
    await picture(page, `plan-chips-${language}`);
  }
  await page.evaluate(() => localStorage.setItem("panel-language", "en"));
});

/** Texts in the middle of the page whose last line is one word alone. */
function lonelyWords(): string[] {
  const lonely = [];
  for (const text of document.querySelectorAll("main :is(h1, h2, p, div)")) {
    if (getComputedStyle(text).textAlign !== "center" || text.children.length > 0 || !text.firstChild) continue;
    const words = [...text.textContent.matchAll(/\S+/g)];
    const tops = words.map(({ 0: word, index }) => {
      const range = document.createRange();
      range.setStart(text.firstChild!, index);
      range.setEnd(text.firstChild!, index + word.length);
      return range.getBoundingClientRect().top;
    });
    if (tops.length > 2 && tops.at(-1)! > tops.at(-2)!) lonely.push(text.textContent);
  }
  return lonely;
}

test("no text in the middle of a page leaves one word alone on its last line", async ({ page, stand, populated }) => {
  await signIn(page, stand.url);
  const blank = await stand.call<{ id: string }>(populated.token, "POST", "/api/v1/connection-units", {
    name: "Blank",
  });
  const pages = [
    "/nowhere",
    "/clients?q=nobody-of-this-name",
    `/flows/${blank.id}/graph`,
    `/flows/${blank.id}/clients`,
  ];
  for (const language of ["en", "ru"]) {
    await page.evaluate((to) => localStorage.setItem("panel-language", to), language);
    for (const path of pages) {
      await page.goto(stand.url + path);
      await expect(page.locator("html")).toHaveAttribute("lang", language);
      await expect(page.locator("main").getByText(/\S/).first()).toBeVisible();
      await expect(page.locator("main [aria-busy=true]")).toHaveCount(0);
      for (const width of [1360, 768, 390]) {
        await page.setViewportSize({ width, height: 860 });
        await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
        expect(await page.evaluate(lonelyWords), `${path} at ${width} px in ${language}`).toEqual([]);
      }
    }
  }
  await stand.call(populated.token, "DELETE", `/api/v1/connection-units/${blank.id}`);
  await page.evaluate(() => localStorage.setItem("panel-language", "en"));
});

test("at 768 px the tools of the canvas stay beside the side panel, with their words whole", async ({
  page,
  stand,
  populated,
}) => {
  await signIn(page, stand.url);
  await page.evaluate(() => localStorage.setItem("panel-language", "ru"));
  await page.setViewportSize({ width: 768, height: 1024 });
  await page.goto(`${stand.url}/flows/${populated.draft}/graph`);
  await page.locator(".react-flow__node").first().click();
  await expect(page.getByRole("complementary").filter({ has: page.getByRole("tablist") })).toBeVisible();
  const trace = page.getByLabel("Путь домена, IP или порта");
  const pane = await restingBox(page.locator(".react-flow"));
  for (const tool of [trace, page.getByRole("button", { name: /^Добавить блок/ })]) {
    const { x, width } = await restingBox(tool);
    expect(x + width, "right end of a tool").toBeLessThanOrEqual(pane.x + pane.width);
  }
  const cut = await trace.evaluate((field: HTMLInputElement) => {
    const { font, paddingLeft, paddingRight } = getComputedStyle(field);
    const pen = document.createElement("canvas").getContext("2d")!;
    pen.font = font;
    const room = field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
    return pen.measureText(field.placeholder).width - room;
  });
  expect(cut, "px of the words that are cut").toBeLessThanOrEqual(0);
  await picture(page, "tablet-tools");
});
