import { administrator, test as base } from "./test";

interface Ready {
  token: string;
  id: string;
}

/** A panel of its own with an administrator and a license, made by the API. */
export const test = base.extend<object, { ready: Ready }>({
  ready: [
    async ({ stand }, use) => {
      const { token, account } = await stand.call<{ token: string; account: { id: string } }>(
        "",
        "POST",
        "/api/v1/setup/admin",
        administrator,
      );
      await stand.call(token, "POST", "/api/v1/license/activate", { license_key: stand.licenseKey });
      await stand.call(token, "POST", "/api/v1/setup/finish");
      await use({ token, id: account.id });
    },
    { scope: "worker", timeout: 360_000 },
  ],
});
