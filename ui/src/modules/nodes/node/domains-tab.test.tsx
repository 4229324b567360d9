import { screen } from "@testing-library/react";
import user from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { api } from "@/api/client";
import { makeNode } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import { DomainsTab } from "./domains-tab";

const domain = (hostname: string, used_by_flows: string[]) => ({
  id: hostname,
  hostname,
  mode: "direct",
  used_by_flows,
});

afterEach(() => vi.restoreAllMocks());

async function open() {
  const items = [domain("office.example.net", ["f-1", "f-2"]), domain("idle.example.net", [])];
  vi.spyOn(api, "GET").mockResolvedValue({ data: { items }, response: new Response(null, { status: 200 }) } as never);
  await renderApp(<DomainsTab node={makeNode()} block={undefined} />);
}

it("tells which domains flows use, and keeps those", async () => {
  await open();
  expect(await screen.findByText("direct, in 2 flows")).toBeInTheDocument();
  expect(screen.getByRole("button", { name: "Remove office.example.net" })).toHaveAttribute("aria-disabled", "true");
  expect(screen.getByRole("button", { name: "Remove idle.example.net" })).not.toHaveAttribute("aria-disabled");
});

it("tells a name that is taken from one that a flow uses", async () => {
  const refused = {
    error: { status: 409, code: "domain_conflict", detail: "" },
    response: new Response(null, { status: 409 }),
  };
  vi.spyOn(api, "POST").mockResolvedValue(refused as never);
  vi.spyOn(api, "DELETE").mockResolvedValue(refused as never);
  await open();
  await user.type(await screen.findByLabelText(/^Domain/), "example.net");
  await user.click(screen.getByRole("button", { name: "Bind" }));
  expect(await screen.findByText(/^This name already leads to a node/)).toBeInTheDocument();
  await user.click(screen.getByRole("button", { name: "Remove idle.example.net" }));
  await user.click(await screen.findByRole("button", { name: "Remove" }));
  expect(await screen.findByText(/^A flow uses this domain/)).toBeInTheDocument();
});
