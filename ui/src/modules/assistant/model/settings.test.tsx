import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { serve } from "../testing";
import SettingsSection from "./settings-section";

const settings = {
  enabled: false,
  kind: "openai",
  address: "https://models.example/v1",
  model: "small",
  has_key: true,
  tokens_per_day: 200_000,
  cost_per_day: 0,
  price_in: 0,
  price_out: 0,
};
const document = { revision: 3, stored: true, updated_at: null, settings };

const preview = {
  sends: [
    { role: "system", text: "You answer questions about a panel." },
    { role: "user", text: "Which nodes are offline?" },
  ],
  tools: [{ name: "nodes", about: "Nodes and their states", reads: ["/api/v1/nodes"] }],
  masked: ["addresses", "clients"],
  address: "https://models.example/v1",
};

async function draw(permissions?: string[]) {
  const served = serve(
    {
      "GET /assistant/settings": { body: document },
      "PUT /assistant/settings": { body: { ...document, revision: 4 } },
      "POST /assistant/preview": { body: preview },
    },
    permissions,
  );
  await renderApp(<SettingsSection />, { queries: served.queries });
  return served;
}

it("keeps the stored key while none is typed", async () => {
  const { written } = await draw();
  await userEvent.click(await screen.findByRole("switch", { name: "Answer with a language model" }));
  await userEvent.click(screen.getByRole("button", { name: /Save/ }));
  await waitFor(() => expect(written()).toHaveLength(1));
  const body = written()[0]!.body as { revision: number; settings: Record<string, unknown> };
  expect(body.revision).toBe(3);
  expect(body.settings).toMatchObject({ enabled: true, kind: "openai", model: "small" });
  expect(body.settings).not.toHaveProperty("key");
  expect(body.settings).not.toHaveProperty("has_key");
});

it("replaces the key that is typed", async () => {
  const { written } = await draw();
  await userEvent.type(await screen.findByLabelText("API key"), "secret-1");
  await userEvent.click(screen.getByRole("button", { name: /Save/ }));
  await waitFor(() => expect(written()[0]!.body).toMatchObject({ settings: { key: "secret-1" } }));
});

it("is closed to whoever may not change settings", async () => {
  await draw(["assistant.use"]);
  expect(await screen.findByRole("textbox", { name: "Address" })).toBeDisabled();
});

it("shows word by word what would leave the panel", async () => {
  const { written } = await draw();
  await userEvent.click(await screen.findByRole("button", { name: "Show what would be sent" }));
  const dialog = within(await screen.findByRole("dialog", { name: "What leaves the panel" }));
  expect(await dialog.findByText("You answer questions about a panel.")).toBeInTheDocument();
  expect(dialog.getByText("Masked: addresses, names of clients.")).toBeInTheDocument();
  expect(dialog.getByText("/api/v1/nodes")).toBeInTheDocument();
  expect(written().every(({ path }) => path === "/assistant/preview")).toBe(true);
});
