import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import DNSSetupStep from "./dns-setup-step";
import { makeIntegration, makeResult, record, serve } from "./testing";

const route = "POST /setup/dnsprovider/dns";

async function step(...replies: { status?: number; body?: unknown }[]) {
  const panel = serve({ [route]: replies });
  const onDone = vi.fn();
  await renderApp(<DNSSetupStep onDone={onDone} onBack={undefined} readOnly={false} />, { queries: panel.queries });
  await screen.findByLabelText("Domain");
  const make = async () => {
    await userEvent.type(screen.getByLabelText("Domain"), "panel.example.com");
    await userEvent.type(screen.getByLabelText("IP address of this server"), "192.0.2.10");
    await userEvent.type(screen.getByLabelText("API token of Cloudflare"), "sesame");
    await userEvent.click(screen.getByRole("button", { name: "Create the record" }));
  };
  return { ...panel, onDone, make };
}

describe("the DNS step of the first installation", () => {
  it("makes the record and shows what was made", async () => {
    const { make, written, onDone } = await step({ body: makeResult({ integration: makeIntegration() }) });
    await make();
    expect(await screen.findByText(/panel\.example\.com A 192\.0\.2\.10/)).toBeInTheDocument();
    expect(screen.getByText("The token is kept as the integration Main.")).toBeInTheDocument();
    expect(written()[0]!.body).toEqual({
      domain: "panel.example.com",
      server_ip: "192.0.2.10",
      api_token: "sesame",
      save_integration: true,
    });
    await userEvent.click(screen.getByRole("button", { name: "Continue" }));
    expect(onDone).toHaveBeenCalledWith("example.com");
  });

  it("says that the token could not be kept, and retries saving only by the same call", async () => {
    const { make, written } = await step(
      { body: makeResult({ save_error: "a name is taken", save_error_code: "name_taken" }) },
      { body: makeResult({ created: [], existing: [record], integration: makeIntegration() }) },
    );
    await make();
    expect(await screen.findByText("The token could not be kept")).toBeInTheDocument();
    expect(screen.getByText(/^Another integration already has the name of this zone/)).toBeInTheDocument();
    expect(screen.queryByText(/a name is taken/)).not.toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Retry saving only" }));
    expect(await screen.findByText("The token is kept as the integration Main.")).toBeInTheDocument();
    expect(screen.getByText("was there already")).toBeInTheDocument();
    expect(written()).toHaveLength(2);
    expect(written()[1]!.body).toEqual(written()[0]!.body);
  });

  it("says in the language of the page why the token could not be kept, whatever the code", async () => {
    const { make } = await step({ body: makeResult({ save_error: "no such luck", save_error_code: "unheard_of" }) });
    await make();
    expect(await screen.findByText("The record exists, but the check of the token failed.")).toBeInTheDocument();
    expect(screen.getByText("The service says: no such luck")).toBeInTheDocument();
  });

  it("goes to the first field that is empty", async () => {
    const { written } = await step();
    await userEvent.click(screen.getByRole("button", { name: "Create the record" }));
    expect(screen.getByLabelText("Domain")).toHaveFocus();
    expect(written()).toEqual([]);
  });

  it("puts a refusal at its field, and a provider's at the top", async () => {
    const errors = [{ field: "domain", code: "invalid_value", message: "lies in no zone that the token opens" }];
    const { make } = await step(
      { status: 422, body: { status: 422, code: "invalid_value", errors } },
      { status: 502, body: { status: 502, code: "dns_provider_error", detail: "Cloudflare refused" } },
    );
    await make();
    expect(await screen.findByText("lies in no zone that the token opens")).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Create the record" }));
    expect(await screen.findByText("dns_provider_error")).toBeInTheDocument();
  });

  it("can be skipped", async () => {
    const { onDone, written } = await step();
    await userEvent.click(screen.getByRole("button", { name: "Skip" }));
    expect(onDone).toHaveBeenCalledWith("Later", true);
    expect(written()).toEqual([]);
  });
});
