import { screen, waitFor } from "@testing-library/react";
import user from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { api } from "@/api/client";
import { renderApp } from "@/testing/render-app";
import { ItemDialog } from "./item-dialog";

const item = {
  id: "01890000-0000-7000-8000-000000000009",
  name: "first",
  comment: "of many",
  seen_at: null,
  created_at: "2026-03-10T15:02:00Z",
  updated_at: "2026-03-10T15:02:00Z",
  revision: 3,
};

const answers = (body: object, status = 200) =>
  ({
    response: new Response(null, { status }),
    ...(status < 300 ? { data: body } : { error: { status, ...body } }),
  }) as never;

describe("the dialog of an item", () => {
  afterEach(() => vi.restoreAllMocks());

  it("asks for a name, and sends the same key again until something else is typed", async () => {
    const post = vi.spyOn(api, "POST").mockResolvedValue(answers({ code: "unavailable" }, 503));
    await renderApp(<ItemDialog item="new" onClose={() => undefined} />);
    const verb = await screen.findByRole("button", { name: "Add" });
    await user.click(verb);
    expect(await screen.findByText("Enter a name")).toBeInTheDocument();
    expect(post).not.toHaveBeenCalled();

    await user.type(screen.getByLabelText("Name"), " first ");
    for (const times of [1, 2]) {
      await user.click(verb);
      await waitFor(() => expect(post).toHaveBeenCalledTimes(times));
      await waitFor(() => expect(verb).not.toHaveAttribute("aria-disabled"));
    }
    await user.type(screen.getByLabelText("Name"), "!");
    await user.click(verb);
    await waitFor(() => expect(post).toHaveBeenCalledTimes(3));
    const sent = post.mock.calls as unknown as [string, { params: { header: Record<string, string> } }][];
    const keys = sent.map(([, { params }]) => params.header["Idempotency-Key"]);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
    expect(sent[0]![1]).toMatchObject({ body: { name: "first", comment: "" } });
  });

  it("says at its field that a name is taken", async () => {
    vi.spyOn(api, "POST").mockResolvedValue(answers({ code: "name_taken" }, 409));
    await renderApp(<ItemDialog item="new" onClose={() => undefined} />);
    await user.type(await screen.findByLabelText("Name"), "first");
    await user.click(screen.getByRole("button", { name: "Add" }));
    expect(await screen.findByText("Another item has this name")).toBeInTheDocument();
  });

  it("changes an item from the revision that was read, and closes", async () => {
    const patch = vi.spyOn(api, "PATCH").mockResolvedValue(answers({ ...item, revision: 4 }));
    const closed = vi.fn();
    await renderApp(<ItemDialog item={item} onClose={closed} />);
    const comment = await screen.findByLabelText("Comment");
    expect(comment).toHaveValue("of many");
    await user.clear(comment);
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(closed).toHaveBeenCalledOnce());
    expect(patch).toHaveBeenCalledWith("/api/v1/health/items/{id}", {
      params: { path: { id: item.id } },
      body: { revision: 3, name: "first", comment: "" },
    });
  });
});
