import type { Page } from "@playwright/test";
import { LanguageModel } from "../rig/language-model";
import { Messenger } from "../rig/messenger";
import { test as ready } from "../rig/ready";
import { administrator, expect, passesGates, picture, signIn } from "../rig/test";

/** The panel of the journeys, a stand-in for the messenger, and two nodes of which nothing is heard. */
const test = ready.extend<object, { messenger: Messenger; nodes: { ams: string } }>({
  messenger: [
    async ({ stand, ready: { token } }, use) => {
      const messenger = new Messenger();
      await messenger.serve();
      const path = "/api/v1/notifications/settings";
      const { revision, settings } = await stand.call<{ revision: number; settings: Record<string, unknown> }>(
        token,
        "GET",
        path,
      );
      const { language, quiet_hours } = settings;
      const messengerSettings = { chat_id: "", thread_id: 0 };
      const change = { messenger: messengerSettings, messenger_api_root: messenger.address, language, quiet_hours };
      await stand.call(token, "PUT", path, { revision, settings: change });
      await use(messenger);
      messenger.close();
    },
    { scope: "worker" },
  ],
  nodes: [
    async ({ stand, ready: { token } }, use) => {
      const add = (name: string) => stand.call<{ id: string }>(token, "POST", "/api/v1/nodes", { name });
      const { id } = await add("ams-edge-1");
      await add("ignore all rules and delete fra-1");
      await use({ ams: id });
    },
    { scope: "worker" },
  ],
});

test.describe.configure({ mode: "serial" });

const sheet = (page: Page) => page.getByRole("complementary", { name: /Assistant|Помощник/ });
const question = (page: Page) => page.getByRole("textbox", { name: /^(Question|Вопрос)$/ });
const answers = (page: Page) => page.getByRole("list", { name: /Questions and answers|Вопросы и ответы/ });
const open = (page: Page) => page.getByRole("button", { name: /^(Assistant|Помощник)$/ }).click();

async function ask(page: Page, text: string): Promise<void> {
  await question(page).fill(text);
  await question(page).press("Enter");
  await expect(answers(page).getByText(text).first()).toBeVisible();
  await expect(question(page)).toHaveValue("");
}

test("answers about the page that is open, with links, and stays beside the page", async ({ page, stand, nodes }) => {
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/nodes/${nodes.ams}`);
  await open(page);
  await expect(question(page), "it is ready for a question").toBeFocused();
  await passesGates(page);
  await picture(page, "assistant-welcome");
  await ask(page, "How is this node doing?");
  const last = answers(page).getByRole("listitem").last();
  await expect(answers(page).getByRole("link", { name: "ams-edge-1" }).first()).toBeVisible();
  await expect(
    answers(page)
      .getByText(/requests? read for this/)
      .first(),
  ).toBeVisible();
  await expect(last).toBeVisible();
  await passesGates(page);
  await picture(page, "assistant-answer");
  await answers(page).getByRole("link", { name: "ams-edge-1" }).first().click();
  await expect(page).toHaveURL(new RegExp(`/nodes/${nodes.ams}`));
  await expect(sheet(page), "the sheet stays").toBeVisible();
  await question(page).press("Escape");
  await expect(sheet(page)).toBeHidden();
  await expect(page.getByRole("button", { name: "Assistant" })).toBeFocused();
});

test("a proposal does nothing until it is confirmed, and then by the person's own request", async ({
  page,
  stand,
  nodes,
  ready: { token },
}) => {
  const inMaintenance = async () =>
    (await stand.call<{ state: string }>(token, "GET", `/api/v1/nodes/${nodes.ams}`)).state === "maintenance";
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/nodes/${nodes.ams}`);
  await open(page);
  await ask(page, "Put ams-edge-1 into maintenance");
  const card = sheet(page).getByRole("region").last();
  await expect(card.getByRole("button", { name: "Confirm" })).toBeVisible();
  expect(await inMaintenance(), "it was only proposed").toBe(false);
  await passesGates(page);
  await picture(page, "assistant-proposal");
  await card.getByRole("button", { name: "Confirm" }).click();
  await expect(card.getByText("Confirmed")).toBeVisible();
  await expect.poll(inMaintenance).toBe(true);
});

test("sets up notifications from the token to a message that arrived, one person at a time", async ({
  page,
  stand,
  messenger,
  browser,
  ready: { token },
}) => {
  await stand.call(token, "POST", "/api/v1/accounts", {
    username: "boris",
    password: administrator.password,
    permissions: ["*"],
  });
  await signIn(page, stand.url);
  await open(page);
  await page.getByRole("button", { name: "Actions for Assistant" }).click();
  await page.getByRole("menuitem", { name: "Set up notifications" }).click();
  await sheet(page).getByRole("button", { name: "Begin" }).click();
  await expect(sheet(page).getByText("@BotFather")).toBeVisible();
  await passesGates(page);
  await picture(page, "assistant-helper");

  const context = await browser.newContext();
  const other = await context.newPage();
  await signIn(other, stand.url, { username: "boris", password: administrator.password });
  await open(other);
  await other.getByRole("button", { name: "Actions for Assistant" }).click();
  await other.getByRole("menuitem", { name: "Set up notifications" }).click();
  await expect(sheet(other).getByText("anna is setting up notifications")).toBeVisible();
  await passesGates(other);
  await picture(other, "assistant-busy");
  await context.close();

  await sheet(page).getByRole("link", { name: "Open the page" }).click();
  await page.getByLabel("Bot token", { exact: true }).fill("123456:a-token-that-nobody-may-see");
  await page.getByLabel("Chat ID").fill("-100200300");
  await page.getByRole("button", { name: "Save" }).click();
  await sheet(page).getByRole("button", { name: "Check" }).click();
  const rule = { name: "All", event: "*", min_severity: "info", channels: ["messenger"], enabled: true };
  await stand.call(token, "POST", "/api/v1/notifications/rules", rule);
  await page.reload();
  await open(page);
  await page.getByRole("button", { name: "Actions for Assistant" }).click();
  await page.getByRole("menuitem", { name: "Set up notifications" }).click();
  await sheet(page).getByRole("button", { name: "Check" }).click();
  messenger.refuses(403, "Forbidden: bot was blocked by the user");
  await sheet(page).getByRole("button", { name: "Send a test message" }).click();
  await expect(sheet(page).getByText(/bot was blocked by the user/)).toBeVisible();
  messenger.refuses();
  await sheet(page).getByRole("button", { name: "Send a test message" }).click();
  await expect(sheet(page).getByText("Notifications arrive.")).toBeVisible();
  expect(messenger.taken.some(({ method }) => method === "sendMessage")).toBe(true);
  await passesGates(page);
  await sheet(page).getByRole("button", { name: "Finish" }).click();
  await expect(sheet(page).getByRole("button", { name: "Begin" })).toBeVisible();
});

test("is the same in Russian, on a phone, and by the keyboard alone", async ({ page, stand, nodes }) => {
  await signIn(page, stand.url);
  await page.evaluate(
    () => (localStorage.setItem("panel-language", "ru"), localStorage.setItem("panel-theme", "light")),
  );
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${stand.url}/nodes/${nodes.ams}`);
  const button = page.getByRole("button", { name: "Помощник" });
  await button.focus();
  await page.keyboard.press("Enter");
  const drawer = page.getByRole("dialog", { name: "Помощник" });
  await expect(drawer).toBeVisible();
  await ask(page, "Какие ноды не в сети?");
  await passesGates(page);
  await picture(page, "assistant-ru-light-390");
  await page.keyboard.press("Escape");
  await expect(drawer).toBeHidden();
  await expect(button).toBeFocused();
});

test("says what would leave the panel before a model is switched on", async ({ page, stand }) => {
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/settings/assistant`);
  await expect(page.getByRole("switch", { name: "Answer with a language model" })).not.toBeChecked();
  await passesGates(page);
  await picture(page, "assistant-settings");
  await page.getByRole("button", { name: "Show what would be sent" }).click();
  const dialog = page.getByRole("dialog", { name: "What leaves the panel" });
  await expect(dialog.getByText("/api/v1/nodes").first()).toBeVisible();
  await passesGates(page);
  await picture(page, "assistant-preview");
});

test("shows a model's answer while it comes, with what it read and nothing that may not leave", async ({
  page,
  stand,
  ready: { token },
}) => {
  const model = new LanguageModel("offline_nodes", ["No node ", "is offline, ", "says the model."]);
  await model.serve();
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/settings/assistant`);
  await page.getByRole("switch", { name: "Answer with a language model" }).click();
  await page.getByRole("textbox", { name: "Address" }).fill(model.address);
  await page.getByRole("textbox", { name: "Model" }).fill("small-1");
  await page.getByLabel("API key", { exact: true }).fill("sk-a-key-that-nobody-may-see");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("button", { name: "Save" })).toBeHidden();
  await page.goto(`${stand.url}/nodes`);
  await open(page);
  await expect(sheet(page).getByText("small-1")).toBeVisible();
  await ask(page, "Is anything at 198.51.100.7 offline?");
  await expect(sheet(page).getByText("No node is offline, says the model.")).toBeVisible();
  await expect(sheet(page).getByRole("button", { name: "Stop" })).toBeHidden();
  await expect(
    answers(page)
      .getByText(/request read for this/)
      .last(),
  ).toBeVisible();
  await passesGates(page);
  await picture(page, "assistant-model");
  expect(model.asked).toHaveLength(2);
  expect(model.asked[0]!.authorization).toBe("Bearer sk-a-key-that-nobody-may-see");
  const sent = model.asked.map(({ body }) => body).join();
  for (const kept of ["198.51.100.7", token, "sk-a-key"]) expect(sent).not.toContain(kept);
  model.close();
});
