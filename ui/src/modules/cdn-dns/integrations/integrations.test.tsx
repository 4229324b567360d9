import { screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { changedFields, firstMissing, givenFields } from "./draft";
import IntegrationsPage from "./integrations-page";
import { integrationId, makeIntegration, pageOf, providers, serve } from "../testing";

const base = () => ({
  "GET /dns/integrations": pageOf(makeIntegration()),
  "GET /dns/providers": { body: { items: providers } },
});

async function page(more: Parameters<typeof serve>[0] = {}, permissions?: string[]) {
  const panel = serve({ ...base(), ...more }, permissions);
  await renderApp(<IntegrationsPage />, { queries: panel.queries });
  return panel;
}

describe("integrations", () => {
  it("show service, zones and how the last check went", async () => {
    await page({
      "GET /dns/integrations": pageOf(
        makeIntegration(),
        makeIntegration({ id: `${integrationId.slice(0, -1)}2`, label: "Old", last_error: "the token was revoked" }),
      ),
    });
    const [, first, second] = await screen.findAllByRole("row");
    expect(first).toHaveTextContent("Main");
    expect(first).toHaveTextContent("Cloudflare");
    expect(first).toHaveTextContent("example.com");
    expect(first).toHaveTextContent("Works");
    expect(second).toHaveTextContent("the token was revoked");
  });

  it("say what to do where there is none", async () => {
    await page({ "GET /dns/integrations": pageOf() });
    expect(await screen.findByText("No integration yet")).toBeInTheDocument();
  });

  it("are added with the fields that their service declares", async () => {
    const { written } = await page({ "POST /dns/integrations": { status: 201, body: makeIntegration() } });
    await userEvent.click(await screen.findByRole("button", { name: "Add integration" }));
    const dialog = within(await screen.findByRole("dialog"));
    await userEvent.click(dialog.getByRole("button", { name: "Add integration" }));
    expect(dialog.getByText("Enter a value")).toBeInTheDocument();
    await userEvent.type(dialog.getByLabelText("Label"), "Main");
    await userEvent.click(dialog.getByRole("button", { name: "Add integration" }));
    expect(dialog.getByLabelText("API token")).toHaveFocus();
    await userEvent.type(dialog.getByLabelText("API token"), "abc");
    await userEvent.click(dialog.getByRole("button", { name: "Add integration" }));
    await expect.poll(() => written()).toHaveLength(1);
    expect(written()[0]!.body).toEqual({ provider: "cloudflare", label: "Main", fields: { api_token: "abc" } });
  });

  it("keep the stored token when only the label changes", async () => {
    const { written } = await page({ [`PATCH /dns/integrations/${integrationId}`]: { body: makeIntegration() } });
    await userEvent.click(await screen.findByRole("button", { name: "Main" }));
    const dialog = within(await screen.findByRole("dialog"));
    expect(await dialog.findByLabelText("API token")).toHaveAttribute("placeholder", "Stored. Type to replace it.");
    await userEvent.type(dialog.getByLabelText("Label"), "2");
    await userEvent.click(dialog.getByRole("button", { name: "Save" }));
    await expect.poll(() => written()).toHaveLength(1);
    expect(written()[0]!.body).toEqual({ revision: 3, label: "Main2" });
  });

  it("put a refusal at its field", async () => {
    const errors = [
      { field: "fields.api_token", code: "invalid_value", message: "must not contain control characters" },
    ];
    await page({ "POST /dns/integrations": { status: 422, body: { status: 422, code: "invalid_value", errors } } });
    await userEvent.click(await screen.findByRole("button", { name: "Add integration" }));
    const dialog = within(await screen.findByRole("dialog"));
    await userEvent.type(dialog.getByLabelText("Label"), "Main");
    await userEvent.type(dialog.getByLabelText("API token"), "abc");
    await userEvent.click(dialog.getByRole("button", { name: "Add integration" }));
    expect(await dialog.findByText("must not contain control characters")).toBeInTheDocument();
  });

  it("take the key of an account in several lines, and say which ones are CDNs", async () => {
    const account = makeIntegration({ provider: "yandex", label: "Edge", zones: [], fields: { folder_id: "b1g" } });
    const { written } = await page({
      "GET /dns/integrations": pageOf(account),
      "POST /dns/integrations": { status: 201, body: account },
    });
    expect((await screen.findAllByRole("row"))[1]).toHaveTextContent("CDN, holds no zones");
    await userEvent.click(screen.getByRole("button", { name: "Add integration" }));
    const dialog = within(await screen.findByRole("dialog"));
    await userEvent.click(dialog.getByRole("combobox", { name: "Service" }));
    await userEvent.click(await screen.findByRole("option", { name: "Yandex Cloud CDN" }));
    await userEvent.type(dialog.getByLabelText("Label"), "Edge");
    await userEvent.type(dialog.getByLabelText("Folder id"), "b1g");
    await userEvent.click(dialog.getByLabelText("Key of the service account"));
    await userEvent.paste('{\n  "id": "a"\n}');
    await userEvent.click(dialog.getByRole("button", { name: "Add integration" }));
    await expect.poll(() => written()).toHaveLength(1);
    const fields = { folder_id: "b1g", service_account_key: '{\n  "id": "a"\n}' };
    expect(written()[0]!.body).toEqual({ provider: "yandex", label: "Edge", fields });
  });

  it("are removed after what follows was said", async () => {
    const { written } = await page({ [`DELETE /dns/integrations/${integrationId}`]: { status: 204 } });
    await userEvent.click(await screen.findByRole("button", { name: "Actions for Main" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Remove integration" }));
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByText("Its DNS records stay where they are.")).toBeInTheDocument();
    await userEvent.click(dialog.getByRole("button", { name: "Remove integration" }));
    await expect.poll(() => written()).toHaveLength(1);
  });

  it("are checked on demand", async () => {
    const { asked } = await page({ [`GET /dns/integrations/${integrationId}/zones`]: { body: { items: [] } } });
    await userEvent.click(await screen.findByRole("button", { name: "Actions for Main" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Check now" }));
    await expect.poll(() => asked.some(({ path }) => path.endsWith("/zones"))).toBe(true);
  });

  it("are closed, with the reason, to whoever may only read them", async () => {
    await page({}, ["dns.view"]);
    expect((await screen.findAllByText("Needs the permission dns.manage")).length).toBeGreaterThan(0);
    expect(screen.queryByRole("button", { name: "Main" })).not.toBeInTheDocument();
  });
});

describe("what was entered", () => {
  const { fields } = providers[1]!;

  it("lacks what is required and has no default", () => {
    expect(firstMissing(" ", fields, {}, false)).toBe("label");
    expect(firstMissing("x", fields, {}, false)).toBe("server");
    expect(firstMissing("x", fields, { server: "ns" }, false)).toBe("key_secret");
    expect(firstMissing("x", fields, { server: "ns" }, true)).toBeUndefined();
  });

  it("leaves out empty fields, and those that did not change", () => {
    expect(givenFields(fields, { server: " ns ", key_secret: "" })).toEqual({ server: "ns" });
    expect(changedFields(fields, { server: "ns", key_secret: "" }, { server: "ns" })).toEqual({});
    expect(changedFields(fields, { server: "other", key_secret: "s" }, { server: "ns" })).toEqual({
      server: "other",
      key_secret: "s",
    });
  });
});
