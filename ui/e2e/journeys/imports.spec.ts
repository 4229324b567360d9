import { test } from "../rig/populated";
import { expect, passesGates, picture, signIn } from "../rig/test";

/** The last part of an address that a program asks; 3x-ui keeps it beside the client. */
const subscription = `s${Date.now()}kept`;

/** What a server of Xray runs: one entry that flows can be, one that they cannot, and clients of the first. */
const configuration = {
  inbounds: [
    {
      tag: "office",
      port: 28443,
      protocol: "vless",
      settings: {
        decryption: "none",
        clients: [
          { id: "0d1f5a52-6c0e-4b33-8a06-5a2a2b1c9b10", email: "Анна", flow: "xtls-rprx-vision", subId: subscription },
          { id: "1d1f5a52-6c0e-4b33-8a06-5a2a2b1c9b10", email: "Борис", flow: "xtls-rprx-vision", subId: "boris" },
        ],
      },
      streamSettings: {
        network: "raw",
        security: "reality",
        realitySettings: {
          target: "www.example.org:443",
          serverNames: ["www.example.org"],
          privateKey: "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY",
          shortIds: ["0123abcd"],
        },
      },
    },
    { tag: "tunnel", port: 28444, protocol: "dokodemo-door", settings: { address: "192.0.2.1" } },
  ],
  outbounds: [{ tag: "direct", protocol: "freedom" }],
};

test("what a server of Xray runs becomes a draft with its clients", async ({ page, stand, populated }) => {
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/flows`);
  await page.getByRole("link", { name: "Import" }).click();
  await expect(page.getByRole("heading", { name: "Import flows" })).toBeVisible();
  await page.getByText("Text", { exact: true }).click();
  const text = page.getByRole("textbox", { name: "Text" });
  await text.fill("this is no configuration");
  await page.getByRole("button", { name: "Read", exact: true }).click();
  await expect(page.getByRole("alert").first()).toBeVisible();
  await text.fill(JSON.stringify(configuration));
  await page.getByRole("button", { name: "Read", exact: true }).click();

  await expect(page.getByText("Recognized as Xray")).toBeVisible();
  await expect(page.getByText(/^Left out or changed/)).toBeVisible();
  await expect(page.getByText("vless · raw · reality · :28443")).toBeVisible();
  await expect(page.getByText("1 keeps its subscription URL")).toBeVisible();
  await expect(page.getByText(/could be guessed and is not kept/)).toBeVisible();
  await passesGates(page);
  await picture(page, "import-choice");
  await page.setViewportSize({ width: 390, height: 844 });
  await passesGates(page);
  await picture(page, "import-choice-390");
  await page.setViewportSize({ width: 1360, height: 900 });

  const name = `Office ${Date.now()}`;
  await page.getByRole("textbox", { name: /^Name of the flow of/ }).fill(name);
  await page.getByRole("button", { name: "Create 1 draft" }).click();
  await page.waitForURL(/\/flows\/[0-9a-f-]{36}/);
  await expect(page.getByText(name).first()).toBeVisible();
  await picture(page, "import-draft");
  const flow = /\/flows\/([0-9a-f-]{36})/.exec(page.url())![1]!;
  const clients = await stand.call<{ items: { label: string }[] }>(
    populated.token,
    "GET",
    `/api/v1/connection-units/${flow}/clients`,
  );
  expect(clients.items.map(({ label }) => label)).toEqual(["Анна", "Борис"]);
  expect((await page.request.get(`${stand.url}/sub/${subscription}`)).status()).toBe(200);
  expect((await page.request.get(`${stand.url}/sub/boris`)).status()).toBe(404);
  const draft = await stand.call<object>(populated.token, "GET", `/api/v1/connection-units/${flow}/draft`);
  expect(JSON.stringify(draft)).not.toContain("MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY");
  await stand.call(populated.token, "DELETE", `/api/v1/connection-units/${flow}`);
});
