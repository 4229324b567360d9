import { screen, waitFor, within } from "@testing-library/react";
import user from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { api } from "@/api/client";
import * as toast from "@/components/state/toast";
import { changeLanguage } from "@/text/i18n";
import { renderApp } from "@/testing/render-app";
import { bodyOf, PlanDialog } from "./plan-dialog";
import { PlansTab } from "./plans-tab";
import { modern, upstream } from "./testing";

const answers = (data: object) => ({ response: new Response(null, { status: 200 }), data }) as never;
const refuses = (error: object, status: number) => ({ response: new Response(null, { status }), error }) as never;
const calls = (spy: { mock: { calls: unknown[][] } }) => spy.mock.calls as unknown as [string, { body: object }][];
const ready = (...items: (typeof upstream)[]) => ({ kind: "ready" as const, data: { items } });

afterEach(async () => {
  vi.restoreAllMocks();
  await changeLanguage("en");
});

describe("custom plans", () => {
  it("show each version with its way out, who uses it, and the policies that enable it", async () => {
    await renderApp(<PlansTab state={ready(upstream)} policies={[modern]} block={undefined} />);
    const second = within(await screen.findByRole("group", { name: "Version 2" }));
    expect(second.getByText(/SOCKS proxy proxy\.example\.net:1080 · with a password/)).toBeInTheDocument();
    expect(second.getByRole("switch", { name: "Enabled in Modern only" })).not.toBeChecked();
    const first = within(screen.getByRole("group", { name: "Version 1" }));
    expect(first.getByText("Used by Office")).toBeInTheDocument();
    expect(first.getByRole("switch", { name: "Enabled in Modern only" })).toBeChecked();
    await changeLanguage("ru");
    expect(await screen.findByText(/SOCKS-прокси proxy\.example\.net:1080 · с паролем/)).toBeInTheDocument();
  });

  it("are enabled in a policy, version by version", async () => {
    const post = vi.spyOn(api, "POST").mockResolvedValue(answers(upstream));
    await renderApp(<PlansTab state={ready(upstream)} policies={[modern]} block={undefined} />);
    const second = within(await screen.findByRole("group", { name: "Version 2" }));
    await user.click(second.getByRole("switch", { name: "Enabled in Modern only" }));
    await waitFor(() => expect(post).toHaveBeenCalledTimes(1));
    expect(calls(post)[0]).toMatchObject([
      "/api/v1/custom-plans/{id}/versions/{v}/enable",
      { params: { path: { id: upstream.id, v: "2" } }, body: { policy_id: modern.id, enabled: true } },
    ]);
  });

  it("say why a version could not be switched", async () => {
    vi.spyOn(api, "POST").mockResolvedValue(refuses({ status: 404, code: "not_found" }, 404));
    const told = vi.spyOn(toast, "toastProblem");
    await renderApp(<PlansTab state={ready(upstream)} policies={[modern]} block={undefined} />);
    const first = within(await screen.findByRole("group", { name: "Version 1" }));
    await user.click(first.getByRole("switch", { name: "Enabled in Modern only" }));
    await waitFor(() => expect(told).toHaveBeenCalledWith("The version could not be switched", expect.anything()));
  });

  it("ask for a policy first where there is none, and are closed to those who may not", async () => {
    await renderApp(<PlansTab state={ready(upstream)} policies={[]} block="You may not" />);
    expect(await screen.findAllByText(/Create a policy first/)).toHaveLength(2);
    expect(screen.getByRole("button", { name: "New custom plan" })).toHaveAttribute("aria-disabled", "true");
  });

  it("stay while a flow uses them", async () => {
    vi.spyOn(api, "DELETE").mockResolvedValue(refuses({ status: 409, code: "custom_plan_in_use" }, 409));
    await renderApp(<PlansTab state={ready(upstream)} policies={[modern]} block={undefined} />);
    await user.click(await screen.findByRole("button", { name: "Remove Upstream…" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.click(dialog.getByRole("button", { name: "Remove" }));
    expect(await dialog.findByText("A flow uses this custom plan. Take it out there first.")).toBeInTheDocument();
  });
});

describe("the dialog of a custom plan", () => {
  it("makes the next version from the newest one, whose password stays when none is typed", async () => {
    const post = vi.spyOn(api, "POST").mockResolvedValue(answers(upstream));
    const onClose = vi.fn();
    await renderApp(<PlanDialog plan={upstream} onClose={onClose} />);
    const address = await screen.findByRole("textbox", { name: "Proxy" });
    expect(address).toHaveValue("proxy.example.net");
    await user.clear(screen.getByRole("textbox", { name: "Port" }));
    await user.type(screen.getByRole("textbox", { name: "Port" }), "1081");
    await user.click(screen.getByRole("button", { name: "Save as a new version" }));
    await waitFor(() => expect(onClose).toHaveBeenCalled());
    expect(calls(post)[0]).toMatchObject(["/api/v1/custom-plans/{id}/versions", { body: { revision: 2 } }]);
    expect(calls(post)[0]![1].body).toEqual({
      revision: 2,
      body: { way: "socks", address: "proxy.example.net", port: 1081, user: "fleet" },
    });
  });

  it("shows at the field what the panel refuses", async () => {
    const errors = [{ field: "body.password", code: "invalid_value", message: "give the password again, or none" }];
    vi.spyOn(api, "POST").mockResolvedValue(refuses({ status: 422, code: "invalid_value", errors }, 422));
    await renderApp(<PlanDialog plan={upstream} onClose={vi.fn()} />);
    await user.click(await screen.findByRole("button", { name: "Save as a new version" }));
    expect(await screen.findByLabelText(/^Password/)).toHaveAccessibleDescription(/give the password again/);
  });

  it("makes a plan that leaves from the node itself and splits connections", async () => {
    const post = vi.spyOn(api, "POST").mockResolvedValue(answers(upstream));
    await renderApp(<PlanDialog onClose={vi.fn()} />);
    await user.type(await screen.findByRole("textbox", { name: /^Name/ }), "Split");
    await user.click(screen.getByRole("combobox", { name: "Way out" }));
    await user.click(await screen.findByRole("option", { name: "From the node itself" }));
    await user.click(screen.getByRole("checkbox", { name: "Split the beginning of connections" }));
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(post).toHaveBeenCalledTimes(1));
    expect(calls(post)[0]![1].body).toEqual({
      name: "Split",
      body: {
        way: "direct",
        family: "any",
        fragment: { packets: "tlshello", length: "100-200", interval: "10-20" },
      },
    });
  });
});

describe("the body that is sent", () => {
  it("has only what its way takes", () => {
    expect(bodyOf({ way: "direct", address: "left.example", port: 1 }, "secret", false)).toEqual({
      way: "direct",
      family: "any",
    });
    expect(bodyOf({ way: "http", address: " p.example ", port: 3128, family: "ipv6" }, "", false)).toEqual({
      way: "http",
      address: "p.example",
      port: 3128,
      password: "",
    });
  });
});
