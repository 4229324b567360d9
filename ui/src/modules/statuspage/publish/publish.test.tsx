import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import * as toast from "@/components/state/toast";
import { renderApp } from "@/testing/render-app";
import { makeDeploy, makePage, makeTarget, pageId, pageOf, serve, targetId } from "../testing";
import PublishPage from "./publish-page";
import { configOf, draftOf } from "./target-draft";

async function draw(replies: Parameters<typeof serve>[0]) {
  const served = serve({
    "GET /pages": { body: { items: [makePage()] } },
    [`GET /pages/${pageId}/deploys`]: pageOf(makeDeploy()),
    ...replies,
  });
  const route = "/status-page/publishing";
  return { ...served, ...(await renderApp(<PublishPage />, { queries: served.queries, route, path: route })) };
}

const targets = `GET /pages/${pageId}/targets`;
const serving = (...items: ReturnType<typeof makeTarget>[]) => ({ body: { items } });

describe("places of a page", () => {
  it("say whether they show what is published, and why not", async () => {
    await draw({ [targets]: serving(makeTarget({ state: "failed", error: "the host shows another key" })) });
    expect(await screen.findByText("Failed")).toBeInTheDocument();
    expect(screen.getByText("the host shows another key")).toBeInTheDocument();
  });

  it("are added with the fields of their kind, and a secret that is never read back", async () => {
    const { written } = await draw({
      [targets]: serving(),
      [`POST /pages/${pageId}/targets`]: { status: 201, body: makeTarget() },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Add a place" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Add a place" }));
    await userEvent.click(dialog.getByRole("combobox", { name: "Kind" }));
    await userEvent.click(await screen.findByRole("option", { name: "Server by SFTP" }));
    const fields: [RegExp, string][] = [
      [/^Name/, "Web"],
      [/^Host$|^Host \*/, "web.example.org"],
      [/^User/, "status"],
      [/^Folder/, "/srv/status"],
      [/^Host key/, "ssh-ed25519 AAAA"],
      [/^Public address/, "https://status.example.org"],
    ];
    for (const [name, text] of fields) await userEvent.type(dialog.getByRole("textbox", { name }), text);
    await userEvent.type(dialog.getByLabelText("Password or private key"), "secret");
    await userEvent.click(dialog.getByRole("button", { name: "Add" }));
    await waitFor(() => expect(written()).toHaveLength(1));
    expect(written()[0]!.body).toEqual({
      kind: "sftp",
      label: "Web",
      config: {
        host: "web.example.org",
        user: "status",
        folder: "/srv/status",
        host_key: "ssh-ed25519 AAAA",
        public_url: "https://status.example.org",
      },
      secret: "secret",
    });
  });

  it("keep their secret when nothing is typed over it", async () => {
    const { written } = await draw({
      [targets]: serving(makeTarget()),
      [`PATCH /targets/${targetId}`]: { body: makeTarget() },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Actions for Bucket" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Change…" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Change the place" }));
    await userEvent.click(dialog.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(written()).toHaveLength(1));
    expect(written()[0]!.body).not.toHaveProperty("secret");
  });

  it("are tested, and say what is wrong", async () => {
    const told = vi.spyOn(toast, "toastFailed");
    await draw({
      [targets]: serving(makeTarget()),
      [`POST /targets/${targetId}/test`]: {
        body: { ok: false, code: "refused", message: "the key is wrong", address: "" },
      },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Actions for Bucket" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Test" }));
    await waitFor(() => expect(told).toHaveBeenCalledWith("The place cannot be written to", "the key is wrong"));
  });

  it("are described by numbers and switches as such", () => {
    const draft = { ...draftOf(undefined), kind: "node" as const, nodeId: "n1", config: { port: "8443" } };
    expect(configOf(draft)).toEqual({ port: 8443, node_id: "n1" });
    const bucket = { ...draftOf(undefined), kind: "static_s3" as const, config: { bucket: " b ", path_style: true } };
    expect(configOf(bucket)).toEqual({ bucket: "b", path_style: true });
  });
});

describe("the log of deploys", () => {
  it("says why a place failed", async () => {
    const failed = makeDeploy({ state: "failed" });
    failed.targets[0] = { ...failed.targets[0]!, state: "failed", error: "no room" };
    await draw({ [targets]: serving(makeTarget()), [`GET /pages/${pageId}/deploys`]: pageOf(failed) });
    expect(await screen.findByText("Bucket: no room")).toBeInTheDocument();
  });
});
