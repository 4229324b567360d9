import { join } from "node:path";
import type { Page } from "@playwright/test";
import { makeCertificate, type CertificateFiles } from "../rig/certificate";
import { eventually, freePort } from "../rig/processes";
import { test as ready } from "../rig/ready";
import { expect, isTold, passesGates, picture, signIn } from "../rig/test";

interface Fleet {
  /** The flow that shows the wildcard. */
  flow: string;
  wildcard: CertificateFiles;
  short: CertificateFiles;
  /** One whose end is near. */
  ending: CertificateFiles;
}

/** A node with three host names, and certificates to upload. */
const test = ready.extend<object, { fleet: Fleet }>({
  fleet: [
    async ({ stand, ready: { token } }, use) => {
      const issued = await stand.call<{ token: string }>(token, "POST", "/api/v1/nodes/enrollment-tokens", {
        kind: "one_off",
      });
      await stand.runAgent("fra-01", issued.token);
      const node = await eventually("a reporting node", 90, async () =>
        (await stand.call<{ items: { id: string; state: string }[] }>(token, "GET", "/api/v1/nodes")).items.find(
          ({ state }) => state === "online",
        ),
      );
      const bind = async (zone: string, label: string, mode = "direct") =>
        (
          await stand.call<{ id: string }>(token, "POST", "/api/v1/node-domains", {
            node_id: node.id,
            zone,
            label,
            mode,
          })
        ).id;
      const bound = await bind("example.test", "fra-01");
      await bind("example.test", "a-long-name-of-a-host-in-frankfurt-am-main", "cdn");
      await bind("other.test", "fra-01", "relay");
      await bind("other.test", "front", "cdn");
      const graph = {
        nodes: [
          {
            key: "entry",
            kind: "entry",
            node_id: node.id,
            node_domain_id: bound,
            params: {
              listener: {
                protocol: "vless",
                security: "tls",
                transport: "ws",
                listen_ip: "127.0.0.1",
                port: await freePort(),
              },
            },
          },
          { key: "exit", kind: "exit", node_id: node.id, params: { private: "allow" } },
        ],
        edges: [{ from: "entry", to: "exit" }],
      };
      const { id } = await stand.call<{ id: string }>(token, "POST", "/api/v1/connection-units", {
        name: "Office",
        graph,
      });
      const folder = (name: string) => join(stand.folder, "certificates", name);
      await use({
        flow: id,
        wildcard: await makeCertificate(folder("wildcard"), ["*.example.test", "example.test"], 90),
        short: await makeCertificate(folder("short"), ["fra-01.other.test"], 10),
        ending: await makeCertificate(folder("ending"), ["front.other.test"], 90, 85),
      });
    },
    { scope: "worker", timeout: 300_000 },
  ],
});

test.describe.configure({ mode: "serial" });

async function shown(page: Page, address: string, language: string, theme: string, width: number): Promise<void> {
  await page.setViewportSize({ width, height: width < 500 ? 844 : 860 });
  await page.evaluate(
    ([to, paint]) => (localStorage.setItem("panel-theme", paint!), localStorage.setItem("panel-language", to!)),
    [language, theme],
  );
  await page.goto(address);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
}

test("an own certificate is uploaded from files and stands in the inventory", async ({ page, stand, fleet }) => {
  await signIn(page, stand.url);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Domains & CDN" }).click();
  await expect(page.getByRole("row", { name: /fra-01\.example\.test.*fra-01.*direct.*None/ })).toBeVisible();
  await passesGates(page);

  await page.getByRole("link", { name: "Certificates", exact: true }).click();
  await expect(page.getByText("No certificate yet")).toBeVisible();
  await passesGates(page);
  await picture(page, "certificates-empty");
  await page.getByRole("button", { name: "Upload certificate" }).click();
  const dialog = page.getByRole("dialog", { name: "Upload a certificate" });
  await dialog.getByRole("button", { name: "Upload certificate" }).click();
  await expect(dialog.getByText("Paste it here, or choose a file")).toHaveCount(2);
  await passesGates(page);
  await picture(page, "certificate-upload-empty");

  const files = dialog.locator("input[type=file]");
  await files.first().setInputFiles(fleet.wildcard.chainFile);
  await files.last().setInputFiles(fleet.short.keyFile);
  await dialog.getByRole("button", { name: "Upload certificate" }).click();
  await expect(dialog.getByText(/do not belong together/)).toBeVisible();
  await passesGates(page);
  await picture(page, "certificate-upload-refused");
  await files.last().setInputFiles(fleet.wildcard.keyFile);
  await dialog.getByRole("button", { name: "Upload certificate" }).click();
  await expect(page.getByRole("row", { name: /\*\.example\.test.*Valid.*89 days left.*Uploaded/ })).toBeVisible();
  await passesGates(page);
});

test("a certificate that ends soon says so, and the panel's rule colours it", async ({ page, stand, fleet, ready }) => {
  const { chain, key } = fleet.short;
  await stand.call(ready.token, "POST", "/api/v1/certificates", { chain, key });
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/domains/certificates`);
  // A sixth of ten days is less than two: it is not near its end yet.
  await expect(page.getByRole("row", { name: /fra-01\.other\.test.*Valid.*9 days left/ })).toBeVisible();
  await page.goto(`${stand.url}/domains`);
  await expect(page.getByRole("row", { name: /fra-01\.other\.test.*Valid.*9 days left/ })).toBeVisible();
  await passesGates(page);
  await picture(page, "domains");
  await page.getByRole("button", { name: "fra-01.other.test" }).click();
  const drawer = page.getByRole("dialog", { name: "Host name" });
  await expect(drawer.getByText("not looked up yet")).toBeVisible();
  await passesGates(page);
  await picture(page, "domain");
  await drawer.getByRole("link", { name: "fra-01", exact: true }).click();
  await expect(page.getByRole("link", { name: "fra-01.other.test" })).toBeVisible();
  await passesGates(page);
  await picture(page, "node-domains");
});

test("one whose end is near says so in the list, at its name and on the overview", async ({
  page,
  stand,
  fleet,
  ready: { token },
}) => {
  const { chain, key } = fleet.ending;
  const { id } = await stand.call<{ id: string }>(token, "POST", "/api/v1/certificates", { chain, key });
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/domains`);
  await expect(page.getByRole("row", { name: /front\.other\.test.*Expires soon.*4 days left/ })).toBeVisible();
  await page.goto(`${stand.url}/domains/certificates`);
  await expect(page.getByRole("row", { name: /front\.other\.test.*Expires soon.*4 days left/ })).toBeVisible();
  await passesGates(page);
  for (const [language, theme, width] of [
    ["ru", "light", 1360],
    ["ru", "dark", 390],
    ["en", "dark", 1360],
  ] as const) {
    await shown(page, `${stand.url}/domains/certificates?open=${id}`, language, theme, width);
    await expect(page.getByRole("dialog")).toBeVisible();
    await passesGates(page);
    await picture(page, `certificate-ending-${language}-${theme}-${width}`);
  }
  await page.goto(stand.url);
  await expect(page.getByText("After its end clients refuse the connection")).toBeVisible();
  await passesGates(page);
  await picture(page, "overview-certificate-ending");
  await stand.call(token, "DELETE", `/api/v1/certificates/${id}`);
});

test("one that a flow shows is not removed; another one is, once its name was typed", async ({
  page,
  stand,
  fleet,
  ready: { token },
}) => {
  const path = `/api/v1/connection-units/${fleet.flow}`;
  const { id, revision } = await stand.call<{ id: string; revision: number }>(token, "POST", `${path}/plan/compile`);
  await eventually("a plan without doubts", 90, async () => {
    const plan = await stand.call<{ readiness: { key: string; status: string }[] }>(
      token,
      "GET",
      `${path}/plans/${id}`,
    );
    const doubts = plan.readiness.filter(({ status }) => status !== "confirmed");
    if (doubts.length > 0) throw new Error(doubts.map(({ key, status }) => `${key}: ${status}`).join());
    return plan;
  });
  await stand.call(token, "POST", `${path}/apply?wait=25`, { id, revision });
  await eventually("an applied flow", 60, async () =>
    (await stand.call<{ state: string }>(token, "GET", path)).state === "applied" ? true : undefined,
  );
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/domains/certificates`);
  await page.getByRole("button", { name: "*.example.test", exact: true }).click();
  const drawer = page.getByRole("dialog", { name: "Certificate" });
  await expect(drawer.getByRole("listitem").filter({ hasText: "fra-01.example.test" })).toContainText("in 1 flow");
  await passesGates(page);
  await picture(page, "certificate");
  await drawer.getByRole("button", { name: "Remove certificate" }).click();
  const dialog = page.getByRole("dialog", { name: "Remove the certificate for *.example.test" });
  await dialog.getByRole("textbox").fill("*.example.test");
  await dialog.getByRole("button", { name: "Remove certificate" }).click();
  await expect(dialog.getByText(/A flow shows this certificate/)).toBeVisible();
  await passesGates(page);
  await picture(page, "certificate-in-use");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await drawer.getByRole("button", { name: "Close" }).click();

  await page.getByRole("button", { name: "Actions for fra-01.other.test" }).click();
  await page.getByRole("menuitem", { name: "Remove certificate" }).click();
  const other = page.getByRole("dialog", { name: "Remove the certificate for fra-01.other.test" });
  await expect(other.getByRole("button", { name: "Remove certificate" })).toHaveAttribute("aria-disabled", "true");
  await other.getByRole("textbox").fill("fra-01.other.test");
  await other.getByRole("button", { name: "Remove certificate" }).click();
  await expect(page.getByRole("row", { name: /fra-01\.other\.test/ })).toHaveCount(0);
});

test("a first order that nobody can prove is refused in words", async ({ page, stand }) => {
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/domains`);
  await page.getByRole("button", { name: "front.other.test" }).click();
  await page.getByRole("button", { name: "Order certificate" }).click();
  await expect(page.getByText(/No DNS integration holds the zone of this name/)).toBeVisible();
  await passesGates(page);
  await picture(page, "certificate-no-zone");
});

test("a name that leads elsewhere says what is wanted and what is seen; once it is right, a look shows it", async ({
  page,
  stand,
  ready: { token },
}) => {
  const name = "ams-01.watched.test";
  stand.names.set(name, "198.51.100.9");
  const node = await stand.call<{ id: string }>(token, "POST", "/api/v1/nodes", {
    name: "ams-01",
    address: "203.0.113.52",
  });
  const binding = { node_id: node.id, zone: "watched.test", label: "ams-01" };
  await stand.call(token, "POST", "/api/v1/node-domains", binding);
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/domains`);
  await expect(page.getByRole("row", { name: /ams-01\.watched\.test.*Leads elsewhere/ })).toBeVisible();
  await passesGates(page);
  await page.getByRole("button", { name }).click();
  const drawer = page.getByRole("dialog", { name: "Host name" });
  const dns = drawer.getByRole("region", { name: "DNS", exact: true });
  await expect(dns.getByRole("region", { name: "Wanted" })).toContainText("A 203.0.113.52");
  await expect(dns.getByText("make it yourself")).toBeVisible();
  await expect(dns.getByRole("region", { name: "Public resolvers" })).toContainText("198.51.100.9different");
  await passesGates(page);
  await picture(page, "domain-mismatch");
  for (const [language, theme, width] of [
    ["ru", "light", 1360],
    ["ru", "dark", 390],
    ["en", "light", 390],
    ["en", "dark", 768],
  ] as const) {
    await shown(page, page.url(), language, theme, width);
    await expect(page.getByText("203.0.113.52")).toBeVisible();
    await passesGates(page);
    await picture(page, `domain-mismatch-${language}-${theme}-${width}`);
  }
  await shown(page, page.url(), "en", "dark", 1360);

  stand.names.set(name, "203.0.113.52");
  await dns.getByRole("button", { name: "Check now" }).click();
  await expect(dns.getByText("Leads to the node")).toBeVisible();
  await expect(dns.getByText("as wanted")).toBeVisible();
  await passesGates(page);
  await picture(page, "domain-ok");
  await drawer.getByRole("button", { name: "Close" }).click();
  await expect(page.getByRole("row", { name: /ams-01\.watched\.test.*Leads to the node/ })).toBeVisible();
});

test("an entry gets a name behind a CDN without leaving the drawing", async ({
  page,
  stand,
  fleet,
  ready: { token },
}) => {
  const account = await stand.call<{ id: string }>(
    token,
    "POST",
    "/api/v1/dns/integrations",
    stand.accounts.bunny("Edge of our own"),
  );
  const dialog = page.getByRole("dialog", { name: "Bind a domain to this node" });
  const network = dialog.getByRole("combobox", { name: "CDN" });
  const fill = async () => {
    await page.getByRole("button", { name: "Bind a domain…" }).first().click();
    await dialog.getByLabel("Domain").fill("example.test");
    await dialog.getByLabel("Host label").fill("behind");
    await expect(network).toBeHidden();
    await dialog.getByRole("combobox", { name: "How clients reach it" }).click();
    await page.getByRole("option", { name: "through a CDN" }).click();
    await expect(network).toHaveValue("Network of the DNS service");
    await network.click();
    await passesGates(page);
    await page.getByRole("option", { name: "Edge of our own" }).click();
    await passesGates(page);
  };
  await signIn(page, stand.url);
  await shown(page, `${stand.url}/flows/${fleet.flow}/outline`, "en", "light", 390);
  await page.getByRole("button", { name: /^Level 1 fra-01 entry/ }).click();
  await fill();
  await picture(page, "entry-cdn-390");

  await shown(page, `${stand.url}/flows/${fleet.flow}/graph`, "en", "dark", 768);
  await page.locator(".react-flow__node").filter({ hasText: "fra-01 entry" }).click();
  await fill();
  await picture(page, "entry-cdn-768");
  await page.setViewportSize({ width: 1360, height: 860 });
  await passesGates(page);
  await picture(page, "entry-cdn-1360");
  await dialog.getByRole("button", { name: "Bind" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("combobox", { name: "Domain", exact: true })).toHaveValue(/behind\.example\.test/);
  await passesGates(page);
  await picture(page, "entry-cdn-bound");
  const { items } = await stand.call<{ items: { mode: string; cdn: { integration_id: string } }[] }>(
    token,
    "GET",
    "/api/v1/node-domains?q=behind.example.test",
  );
  expect(items).toMatchObject([{ mode: "cdn", cdn: { integration_id: account.id } }]);
});

test("settings: staging, another authority, an external account", async ({ page, stand }) => {
  await signIn(page, stand.url);
  await page.goto(`${stand.url}/domains/settings`);
  await page.getByRole("switch", { name: /^Staging/ }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await isTold(page, "Settings saved");
  await page.getByText("Another authority", { exact: true }).click();
  await page.getByLabel("Address of the ACME directory").fill("https://ca.example/dir");
  await page.getByLabel("Key", { exact: true }).fill("bm90LWEta2V5");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Enter the id that belongs to the key")).toBeVisible();
  await passesGates(page);
  await picture(page, "certificate-settings");
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(page.getByRole("switch", { name: /^Staging/ })).toBeChecked();
});

test("in Russian, in three widths and both themes", async ({ page, stand }) => {
  await signIn(page, stand.url);
  for (const [theme, width] of [
    ["dark", 1360],
    ["light", 768],
    ["light", 390],
  ] as const)
    for (const place of ["", "/certificates", "/integrations", "/settings"]) {
      await shown(page, `${stand.url}/domains${place}`, "ru", theme, width);
      await passesGates(page);
      await picture(page, `domains${place.replace("/", "-")}-ru-${theme}-${width}`);
    }
});
