import { fireEvent, screen, waitFor } from "@testing-library/react";
import user from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api } from "@/api/client";
import { renderApp } from "@/testing/render-app";
import type { Client } from "./api";
import { ClientDialog } from "./client-dialog";
import { ImportDialog } from "./import-dialog";
import { answers, client, flowNames } from "./testing";

describe("the dialog of a client", () => {
  beforeEach(() => void vi.spyOn(api, "GET").mockResolvedValue(answers(flowNames)));
  afterEach(() => vi.restoreAllMocks());

  it("asks for a name, then adds the client once", async () => {
    const post = vi.spyOn(api, "POST").mockResolvedValue(answers(client, 201));
    const closed = vi.fn();
    await renderApp(<ClientDialog client="new" onClose={closed} />);
    const verb = await screen.findByRole("button", { name: "Add client" });
    await user.click(verb);
    expect(await screen.findByText("Give it a name first")).toBeInTheDocument();
    expect(post).not.toHaveBeenCalled();
    await user.type(screen.getByLabelText("Name"), " Anna ");
    await user.type(screen.getByLabelText("Note"), "desk");
    await user.click(verb);
    await waitFor(() => expect(closed).toHaveBeenCalledOnce());
    const [path, sent] = post.mock.calls[0] as unknown as [string, { body: object }];
    expect(path).toBe("/api/v1/clients");
    expect(sent.body).toMatchObject({ label: "Anna", note: "desk", tags: [], flow_ids: [] });
  });

  it("changes a client from the revision that was read, and gives and takes its flows", async () => {
    const one = { ...client, flows: client.flows.slice(0, 1) };
    const patch = vi.spyOn(api, "PATCH").mockResolvedValue(answers({ ...one, revision: 4 }));
    const put = vi.spyOn(api, "PUT");
    const taken = vi.spyOn(api, "DELETE").mockResolvedValue(answers({}, 204));
    const closed = vi.fn();
    await renderApp(<ClientDialog client={one} onClose={closed} />);
    const note = await screen.findByLabelText("Note");
    expect(note).toHaveValue("the red phone");
    await user.clear(note);
    const flows = screen.getByRole("combobox", { name: "Flows" });
    await waitFor(() => expect(screen.getByText("Europe main")).toBeInTheDocument());
    await user.type(flows, "{Backspace}");
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(closed).toHaveBeenCalledOnce());
    expect(patch).toHaveBeenCalledWith("/api/v1/clients/{id}", {
      params: { path: { id: client.id } },
      body: { revision: 3, label: "Anna", note: "", tags: ["vip"] },
    });
    expect(taken).toHaveBeenCalledWith("/api/v1/clients/{id}/flows/{flow_id}", {
      params: { path: { id: client.id, flow_id: "f-europe" } },
    });
    expect(put).not.toHaveBeenCalled();
  });

  it("adds a client whose time begins with its first use; a date takes the place of the days", async () => {
    const post = vi.spyOn(api, "POST").mockResolvedValue(answers(client, 201));
    await renderApp(<ClientDialog client="new" onClose={vi.fn()} />);
    await user.type(await screen.findByLabelText("Name"), "Anna");
    const days = screen.getByLabelText("Or days from its first use");
    fireEvent.change(screen.getByLabelText("Expires"), { target: { value: "2099-01-31T12:00" } });
    await user.type(days, "30");
    expect(screen.getByLabelText("Expires")).toHaveValue("");
    fireEvent.change(screen.getByLabelText("Expires"), { target: { value: "2099-01-31T12:00" } });
    expect(days).toHaveValue("");
    await user.type(days, "7");
    await user.click(screen.getByRole("button", { name: "Add client" }));
    await waitFor(() => expect(post).toHaveBeenCalledOnce());
    const { body } = post.mock.calls[0]![1] as unknown as { body: object };
    expect(JSON.parse(JSON.stringify(body))).toEqual({
      label: "Anna",
      note: "",
      tags: [],
      flow_ids: [],
      lasts_days: 7,
    });
  });

  it.each<[string, Partial<Client>, string, object]>([
    ["changes the days", { lasts_days: 30 }, "{Backspace}1", { lasts_days: 31 }],
    ["takes them away", { lasts_days: 3 }, "{Backspace}", { never_expires: true }],
    ["says nothing of what stays", { lasts_days: 3 }, "{Backspace}3", {}],
    ["begins with the next use of one that was seen", { last_seen_at: client.created_at }, "5", { lasts_days: 5 }],
  ])("of a time that has not begun: %s", async (_, has, keys, sent) => {
    const patch = vi.spyOn(api, "PATCH").mockResolvedValue(answers({ ...client, revision: 4 }));
    await renderApp(<ClientDialog client={{ ...client, ...has }} onClose={vi.fn()} />);
    await user.type(await screen.findByLabelText(/Or days from its (first|next) use/), keys);
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(patch).toHaveBeenCalledOnce());
    const { body } = patch.mock.calls[0]![1] as unknown as { body: object };
    expect(body).toEqual({ revision: 3, label: "Anna", note: client.note, tags: ["vip"], ...sent });
  });

  it("sends limits when they were changed, and an empty field takes one away", async () => {
    const limited = { ...client, limits: { speed_mbps: 50, addresses: 3 } };
    const patch = vi.spyOn(api, "PATCH").mockResolvedValue(answers({ ...limited, revision: 4 }));
    await renderApp(<ClientDialog client={limited} onClose={vi.fn()} />);
    expect(await screen.findByLabelText("Speed, Mbit/s")).toHaveValue("50");
    await user.clear(screen.getByLabelText("Addresses at once"));
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(patch).toHaveBeenCalledOnce());
    const { body } = patch.mock.calls[0]![1] as unknown as { body: object };
    expect(JSON.parse(JSON.stringify(body))).toMatchObject({ limits: { speed_mbps: 50 } });
  });

  it("goes on from what is there when a flow was refused and it is saved again", async () => {
    const one = { ...client, flows: client.flows.slice(0, 1) };
    const patch = vi.spyOn(api, "PATCH").mockResolvedValue(answers({ ...one, revision: 4 }));
    const taken = vi.spyOn(api, "DELETE").mockResolvedValueOnce(answers({ code: "unavailable" }, 503));
    const closed = vi.fn();
    await renderApp(<ClientDialog client={one} onClose={closed} />);
    await waitFor(() => expect(screen.getByText("Europe main")).toBeInTheDocument());
    await user.type(screen.getByRole("combobox", { name: "Flows" }), "{Backspace}");
    vi.spyOn(api, "GET").mockResolvedValue(answers({ ...one, revision: 7 }));
    const save = screen.getByRole("button", { name: "Save" });
    await user.click(save);
    await waitFor(() => expect(taken).toHaveBeenCalledOnce());
    await waitFor(() => expect(save).toBeEnabled());
    taken.mockResolvedValue(answers({}, 204));
    await user.click(save);
    await waitFor(() => expect(closed).toHaveBeenCalledOnce());
    expect(patch.mock.calls.map(([, sent]) => (sent as { body: { revision: number } }).body.revision)).toEqual([3, 7]);
  });

  it("tells that somebody else has saved the client, and is saved over that when it is sent again", async () => {
    const conflict = { code: "revision_conflict", detail: "somebody else has changed this meanwhile" };
    const patch = vi.spyOn(api, "PATCH").mockResolvedValueOnce(answers(conflict, 409));
    vi.spyOn(api, "GET").mockResolvedValue(answers({ ...client, revision: 9 }));
    const closed = vi.fn();
    await renderApp(<ClientDialog client={client} onClose={closed} />);
    const save = await screen.findByRole("button", { name: "Save" });
    await user.click(save);
    expect(await screen.findByRole("alert")).toBeInTheDocument();
    await waitFor(() => expect(save).toBeEnabled());
    expect(closed).not.toHaveBeenCalled();
    patch.mockResolvedValue(answers({ ...client, revision: 10 }));
    await user.click(save);
    await waitFor(() => expect(closed).toHaveBeenCalledOnce());
    expect(patch.mock.calls.map(([, sent]) => (sent as { body: { revision: number } }).body.revision)).toEqual([3, 9]);
  });

  it("imports a list of names and says what was there already", async () => {
    const post = vi.spyOn(api, "POST").mockResolvedValue(answers({ added: 1, skipped: ["Anna"] }));
    await renderApp(<ImportDialog onClose={() => undefined} />);
    await user.type(await screen.findByLabelText("Clients"), "Anna\nBoris");
    await user.click(screen.getByRole("button", { name: "Import 2 clients" }));
    expect(await screen.findByText("1 client was added.")).toBeInTheDocument();
    expect(screen.getByText("1 was there already: Anna")).toBeInTheDocument();
    expect(post).toHaveBeenCalledWith("/api/v1/clients/import", {
      body: { clients: [{ label: "Anna" }, { label: "Boris" }] },
    });
  });

  it("sends nothing that is neither an export nor a list", async () => {
    const post = vi.spyOn(api, "POST");
    await renderApp(<ImportDialog onClose={() => undefined} />);
    await user.click(await screen.findByRole("button", { name: "Import" }));
    expect(await screen.findByText("Choose a file, or type names")).toBeInTheDocument();
    await user.type(screen.getByLabelText("Clients"), "[[5]");
    expect(await screen.findByText("This is neither an export nor a list of names")).toBeInTheDocument();
    expect(post).not.toHaveBeenCalled();
  });

  it("says which client of an import was refused, by its place and its name", async () => {
    const errors = [{ field: "clients[1].label", code: "too_long", message: "use 64 characters at most" }];
    vi.spyOn(api, "POST").mockResolvedValue(answers({ code: "invalid_value", errors }, 422));
    await renderApp(<ImportDialog onClose={() => undefined} />);
    const long = "x".repeat(70);
    await user.type(await screen.findByLabelText("Clients"), `Anna\n${long}`);
    await user.click(screen.getByRole("button", { name: "Import 2 clients" }));
    expect(await screen.findByText("Nothing was imported")).toBeInTheDocument();
    expect(screen.getByText(`Client 2, ${"x".repeat(40)}…: a name has 1 to 64 characters`)).toBeInTheDocument();
    expect(screen.getByLabelText("Clients")).toHaveValue(`Anna\n${long}`);
  });

  it("says which flow of an import is not there", async () => {
    const errors = [{ field: "clients[0].flows[1]", code: "invalid_value", message: "there is no such flow" }];
    vi.spyOn(api, "POST").mockResolvedValue(answers({ code: "invalid_value", errors }, 422));
    await renderApp(<ImportDialog onClose={() => undefined} />);
    const text = JSON.stringify([{ label: "Anna", flows: ["Europe main", "Nowhere"] }]);
    fireEvent.change(await screen.findByLabelText("Clients"), { target: { value: text } });
    await user.click(screen.getByRole("button", { name: "Import 1 client" }));
    expect(await screen.findByText("Client 1, Anna: there is no flow “Nowhere”")).toBeInTheDocument();
  });

  it("asks before it closes over what was typed", async () => {
    const closed = vi.fn();
    await renderApp(<ClientDialog client="new" onClose={closed} />);
    await user.type(await screen.findByLabelText("Name"), "Anna");
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    expect(screen.getByLabelText("Name")).toHaveValue("Anna");
    expect(closed).not.toHaveBeenCalled();
  });
});
