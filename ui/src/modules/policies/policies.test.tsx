import { screen, waitFor, within } from "@testing-library/react";
import user from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { api } from "@/api/client";
import { changeLanguage } from "@/text/i18n";
import { renderApp } from "@/testing/render-app";
import { PoliciesTab } from "./policies-tab";
import { PolicyDialog } from "./policy-dialog";
import { errorAt, fresh, sent, typesOf } from "./rules";
import { modern } from "./testing";

const answers = (data: object) => ({ response: new Response(null, { status: 200 }), data }) as never;
const refuses = (error: object, status: number) => ({ response: new Response(null, { status }), error }) as never;
const calls = (spy: { mock: { calls: unknown[][] } }) => spy.mock.calls as unknown as [string, { body: object }][];
const flows = { items: [{ id: "01890000-0000-7000-8000-0000000000f2", name: "Warehouse" }], total: 1 };
const ready = (...items: (typeof modern)[]) => ({ kind: "ready" as const, data: { items } });

afterEach(async () => {
  vi.restoreAllMocks();
  await changeLanguage("en");
});

describe("policies", () => {
  it("say what they allow, and which flows obey them", async () => {
    await renderApp(<PoliciesTab state={ready(modern)} block={undefined} />);
    const card = within(await screen.findByRole("region", { name: "Modern only" }));
    expect(card.getByText("Clients connect by VLESS, Trojan only")).toBeInTheDocument();
    expect(card.getByText("No plain ports — security: TLS, REALITY only")).toBeInTheDocument();
    expect(card.getByText("traffic never reaches private addresses")).toBeInTheDocument();
    expect(card.getByRole("link", { name: "Office" })).toHaveAttribute("href", "/flows/" + modern.used_by[0]!.flow_id);
    await changeLanguage("ru");
    expect(await card.findByText("Клиенты подключаются только по VLESS, Trojan")).toBeInTheDocument();
    expect(card.getByText("Ей подчиняется 1 поток:", { exact: false })).toBeInTheDocument();
  });

  it("name the first ten of many flows and count the others", async () => {
    const used_by = Array.from({ length: 13 }, (_, at) => ({ flow_id: `f${at}`, flow_name: `Flow ${at}` }));
    await renderApp(<PoliciesTab state={ready({ ...modern, used_by })} block={undefined} />);
    expect(await screen.findByText("13 flows obey it:")).toBeInTheDocument();
    expect(screen.getByText("and 3 more")).toBeInTheDocument();
    expect(screen.getAllByRole("link")).toHaveLength(10);
  });

  it("say what they are for while there are none, and that acts are closed to those who may not", async () => {
    await renderApp(<PoliciesTab state={ready()} block="You may not change policies" />);
    expect(await screen.findByText("No policies yet")).toBeInTheDocument();
    const add = screen.getByRole("button", { name: "New policy" });
    expect(add).toHaveAttribute("aria-disabled", "true");
    await user.click(add);
    expect(screen.queryByRole("dialog")).not.toBeInTheDocument();
  });

  it("stay while flows obey them: the refusal is told in the dialog", async () => {
    const remove = vi.spyOn(api, "DELETE").mockResolvedValue(refuses({ status: 409, code: "policy_in_use" }, 409));
    await renderApp(<PoliciesTab state={ready(modern)} block={undefined} />);
    await user.click(await screen.findByRole("button", { name: "Remove Modern only…" }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.click(dialog.getByRole("button", { name: "Remove" }));
    expect(await dialog.findByText("Flows obey this policy. Let them go first.")).toBeInTheDocument();
    expect(remove).toHaveBeenCalledTimes(1);
  });
});

describe("the dialog of a policy", () => {
  it("makes a policy with a rule, then says which flows obey it", async () => {
    vi.spyOn(api, "GET").mockResolvedValue(answers(flows));
    const made = { ...modern, used_by: [], revision: 1 };
    const post = vi.spyOn(api, "POST").mockResolvedValue(answers(made));
    const put = vi.spyOn(api, "PUT").mockResolvedValue(answers(modern));
    const onClose = vi.fn();
    await renderApp(<PolicyDialog onClose={onClose} />);
    await user.type(await screen.findByRole("textbox", { name: /^Name/ }), " Small ");
    await user.click(screen.getByRole("combobox", { name: "Kind" }));
    await user.click(await screen.findByRole("option", { name: "Limits" }));
    await user.click(screen.getByRole("combobox", { name: "Add a rule" }));
    await user.click(await screen.findByRole("option", { name: "Most nodes" }));
    const rule = within(screen.getByRole("group", { name: "Most nodes" }));
    await user.type(rule.getByRole("textbox", { name: "What you call it (optional)" }), "Three at most");
    await user.clear(rule.getByRole("textbox", { name: "Limit" }));
    await user.type(rule.getByRole("textbox", { name: "Limit" }), "3");
    await user.click(screen.getByRole("combobox", { name: "Flows that obey it" }));
    await user.click(await screen.findByRole("option", { name: "Warehouse" }));
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(onClose).toHaveBeenCalled());
    expect(calls(post)[0]![1].body).toEqual({
      name: "Small",
      kind: "limits",
      rules: [{ type: "max_nodes", name: "Three at most", number: 3 }],
      allowed_protocols: [],
    });
    expect(calls(put)[0]).toMatchObject([
      "/api/v1/policies/{id}/flows",
      { params: { path: { id: modern.id } }, body: { revision: 1, flow_ids: [flows.items[0]!.id] } },
    ]);
  });

  it("goes on from the policy that is saved when its flows were refused, and makes no second one", async () => {
    vi.spyOn(api, "GET").mockResolvedValue(answers(flows));
    const saved = { ...modern, revision: 5 };
    const patch = vi.spyOn(api, "PATCH").mockResolvedValue(answers(saved));
    const taken = { status: 409, code: "flow_has_policy", flow_name: "Warehouse", policy: "Older" };
    const put = vi.spyOn(api, "PUT").mockResolvedValueOnce(refuses(taken, 409)).mockResolvedValue(answers(saved));
    const onClose = vi.fn();
    await renderApp(<PolicyDialog policy={modern} onClose={onClose} />);
    await user.click(await screen.findByRole("combobox", { name: "Flows that obey it" }));
    await user.click(await screen.findByRole("option", { name: "Warehouse" }));
    await user.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByText(/The flow Warehouse obeys the policy Older/)).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(onClose).toHaveBeenCalled());
    expect(calls(patch).map(([, { body }]) => body)).toMatchObject([{ revision: 4 }, { revision: 5 }]);
    expect(put).toHaveBeenCalledTimes(2);
  });

  it("leaves the flows alone where they stay the same", async () => {
    vi.spyOn(api, "GET").mockResolvedValue(answers(flows));
    vi.spyOn(api, "PATCH").mockResolvedValue(answers({ ...modern, revision: 5 }));
    const put = vi.spyOn(api, "PUT");
    const onClose = vi.fn();
    await renderApp(<PolicyDialog policy={modern} onClose={onClose} />);
    await user.click(await screen.findByRole("button", { name: "Remove the rule “No private addresses”" }));
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(onClose).toHaveBeenCalled());
    expect(put).not.toHaveBeenCalled();
  });

  it("shows at the rule what the panel refuses of it", async () => {
    vi.spyOn(api, "GET").mockResolvedValue(answers(flows));
    const errors = [{ field: "rules[0].values", code: "invalid_value", message: "name at least one value" }];
    vi.spyOn(api, "PATCH").mockResolvedValue(refuses({ status: 422, code: "invalid_value", errors }, 422));
    await renderApp(<PolicyDialog policy={modern} onClose={vi.fn()} />);
    await user.click(await screen.findByRole("button", { name: "Save" }));
    const rule = within(screen.getByRole("group", { name: "Allowed security" }));
    expect(await rule.findByText("name at least one value")).toBeInTheDocument();
  });
});

describe("a rule", () => {
  it("belongs to policies of one kind", () => {
    expect(typesOf("limits")).toEqual(["max_clients", "max_nodes", "max_entries"]);
    expect(typesOf("balancer")).toContain("min_pool_members");
  });

  it("begins with the least that its type takes, and is sent without what it does not", () => {
    expect(fresh("max_entries")).toEqual({ type: "max_entries", number: 1 });
    expect(fresh("catalogue_sets")).toEqual({ type: "catalogue_sets" });
    expect(sent({ type: "private_addresses", name: "  ", values: ["tls"], number: 4 })).toEqual({
      type: "private_addresses",
    });
    expect(sent({ type: "must_block", name: " Ads ", values: ["set:ads"] })).toEqual({
      type: "must_block",
      name: "Ads",
      values: ["set:ads"],
    });
  });

  it("takes the refusals of all its parts", () => {
    expect(errorAt({ "rules[1].values[0]": "unknown" }, "rules[1].")).toBe("unknown");
    expect(errorAt({ "rules[10].values": "unknown" }, "rules[1].")).toBeUndefined();
  });
});
