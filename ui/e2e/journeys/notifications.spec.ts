import type { Page } from "@playwright/test";
import { Receiver } from "../rig/receiver";
import { test as ready } from "../rig/ready";
import { expect, isTold, passesGates, picture, signIn } from "../rig/test";

/** A panel with an administrator and a license, and a program that takes its webhooks. */
const test = ready.extend<object, { receiver: Receiver }>({
  receiver: [
    async ({}, use) => {
      const receiver = new Receiver();
      await receiver.serve();
      await use(receiver);
      receiver.close();
    },
    { scope: "worker" },
  ],
});

test.describe.configure({ mode: "serial" });

const token = "123456:a-token-that-nobody-may-see";

/** Shows an address in a language, a theme and a width. */
async function shown(page: Page, address: string, language: string, theme: string, width: number): Promise<void> {
  await page.setViewportSize({ width, height: width < 500 ? 844 : 860 });
  await page.evaluate(
    ([to, paint]) => (localStorage.setItem("panel-theme", paint!), localStorage.setItem("panel-language", to!)),
    [language, theme],
  );
  await page.goto(address);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
}

test("a signed webhook: channel, rule, an event, its delivery", async ({
  page,
  stand,
  ready: { token: api },
  receiver,
}) => {
  await signIn(page, stand.url);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Notifications" }).click();
  await expect(page.getByRole("row", { name: /Messenger.*Not set up/ })).toBeVisible();
  await passesGates(page);

  await page.getByRole("button", { name: "Add channel" }).click();
  const channel = page.getByRole("dialog", { name: "Add a channel" });
  await channel.getByRole("button", { name: "Add channel" }).click();
  await expect(channel.getByText("Enter a name")).toBeVisible();
  await passesGates(page);
  await channel.getByLabel("Name").fill("Duty program");
  await channel.getByLabel("Address").fill("ftp://desk.example");
  await channel.getByLabel("Key of the signature", { exact: true }).fill(receiver.key);
  await expect(channel.getByText("Enter an address that begins with")).toBeVisible();
  await channel.getByLabel("Address").fill(receiver.address);
  await channel.getByRole("button", { name: "Add channel" }).click();
  await expect(page.getByRole("row", { name: /Duty program.*Nothing was sent yet/ })).toBeVisible();

  await page.getByRole("link", { name: "Rules", exact: true }).click();
  await page.getByRole("button", { name: "Add rule" }).click();
  const rule = page.getByRole("dialog", { name: "Add a rule" });
  await rule.getByLabel("Name").fill("The license");
  await page.locator("#rule-event").click();
  await passesGates(page);
  await picture(page, "notifications-rule-events");
  await page.locator("#rule-event").fill("License: all");
  await page.getByRole("option", { name: "License: all events" }).click();
  await page.locator("#rule-severity").click();
  await page.getByRole("option", { name: "Everything" }).click();
  await page.locator("#rule-channels").focus();
  await page.keyboard.press("ArrowDown");
  await page.getByRole("option", { name: "Duty program" }).click();
  await page.keyboard.press("Tab");
  await rule.getByRole("button", { name: "Add rule" }).click();
  await expect(page.getByRole("row", { name: /The license.*License: all events/ })).toBeVisible();
  await passesGates(page);

  await stand.call(api, "POST", "/api/v1/license/activate", { license_key: stand.licenseKey });
  const message = await receiver.message("license.activated");
  expect(message.data["title"]).toBe("A license was activated");
  await page.getByRole("link", { name: "Deliveries", exact: true }).click();
  const delivery = page.getByRole("row", { name: /A license was activated.*Duty program.*Sent/ });
  await expect(delivery).toBeVisible();
  await passesGates(page);
  await picture(page, "notifications-deliveries");
});

test("the test of a channel: taken, and refused with the reason in both languages", async ({
  page,
  stand,
  receiver,
}) => {
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/notifications`);
  await page.getByRole("button", { name: "Actions for Duty program" }).click();
  await page.getByRole("menuitem", { name: "Send a test" }).click();
  const dialog = page.getByRole("dialog", { name: "Test of the channel Duty program" });
  await expect(dialog.getByText("The message was taken. Look whether it has arrived.")).toBeVisible();
  await receiver.message("notification.test");
  await passesGates(page);

  receiver.answers(410);
  await dialog.getByRole("button", { name: "Send again" }).click();
  await expect(dialog.getByText("the receiver answered HTTP 410")).toBeVisible();
  await passesGates(page);
  await picture(page, "notifications-test-refused");
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await expect(page.getByRole("row", { name: /Duty program.*Not delivered/ })).toBeVisible();

  await shown(page, `${stand.url}/notifications/deliveries`, "ru", "light", 390);
  await expect(page.getByText("получатель ответил HTTP 410")).toBeVisible();
  await passesGates(page);
  await picture(page, "notifications-deliveries-ru-390");
  await shown(page, `${stand.url}/notifications`, "en", "dark", 1360);
});

test("the test of the messenger: nothing set, its own words, sent", async ({ page, stand }) => {
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/notifications/settings`);
  await page.getByRole("button", { name: "Send a test" }).click();
  await expect(page.getByText("The bot token or the chat id is missing")).toBeVisible();
  await expect(page.getByLabel("Bot token", { exact: true })).toBeFocused();
  await passesGates(page);

  await page.getByLabel("Bot token", { exact: true }).fill(token);
  await page.getByLabel("Chat id").fill("-100200");
  await page.getByRole("button", { name: /^Save/ }).click();
  await isTold(page, "Settings saved");
  stand.messenger.refuses(400, "Bad Request: chat not found");
  await page.getByRole("button", { name: "Send a test" }).click();
  await expect(page.getByText("Bad Request: chat not found")).toBeVisible();
  await passesGates(page);
  await picture(page, "notifications-messenger-refused");

  stand.messenger.refuses();
  await page.getByRole("button", { name: "Send a test" }).click();
  await expect(page.getByText("Sent. Look at your chat.")).toBeVisible();
  const taken = await stand.messenger.message(/This is a test of notifications/);
  expect(taken).toMatchObject({ token, chat: "-100200" });
  expect(await page.content()).not.toContain(token);
});

test("the dialog of a mail channel, in both languages, themes and widths", async ({ page, stand }) => {
  await signIn(page, stand.url);
  const add = { en: "Add channel", ru: "Добавить канал" };
  const mail = { en: "E-mail", ru: "Почта" };
  for (const language of ["en", "ru"] as const)
    for (const theme of ["dark", "light"])
      for (const width of [1360, 390]) {
        await shown(page, `${stand.url}/notifications`, language, theme, width);
        await page.getByRole("button", { name: add[language] }).click();
        await page.getByRole("dialog").getByText(mail[language], { exact: true }).click();
        await page.getByRole("dialog").getByRole("button", { name: add[language] }).click();
        await expect(page.locator("#channel-host")).toHaveAttribute("aria-invalid", "true");
        await passesGates(page);
        await picture(page, `notifications-mail-${language}-${theme}-${width}`);
        await page.locator("#channel-password").scrollIntoViewIfNeeded();
        await picture(page, `notifications-mail-${language}-${theme}-${width}-below`);
      }
  await shown(page, `${stand.url}/notifications`, "en", "dark", 1360);
});
