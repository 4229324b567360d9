import { screen, waitFor } from "@testing-library/react";
import user from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { api } from "@/api/client";
import { renderApp } from "@/testing/render-app";
import { SearchForm } from "./search-form";

const answers = (body: object, status = 200) =>
  ({
    response: new Response(null, { status }),
    ...(status < 300 ? { data: body } : { error: { status, ...body } }),
  }) as never;

describe("the form of a search", () => {
  afterEach(() => vi.restoreAllMocks());

  it("sends each host once and tells which search began", async () => {
    const post = vi.spyOn(api, "POST").mockResolvedValue(answers({ id: "s1" }, 202));
    const started = vi.fn();
    await renderApp(<SearchForm nodeId="n1" onStarted={started} />);
    const verb = await screen.findByRole("button", { name: "Search" });
    await user.click(verb);
    expect(await screen.findByText("Enter at least one")).toBeInTheDocument();
    expect(post).not.toHaveBeenCalled();
    await user.type(screen.getByLabelText("Hosts, one per line"), "a.example.org, b.example.org{enter}a.example.org");
    await user.type(screen.getByLabelText("Port"), "8443");
    await user.click(verb);
    await waitFor(() =>
      expect(started).toHaveBeenCalledWith({ id: "s1" }, expect.anything(), undefined, expect.anything()),
    );
    expect(post).toHaveBeenCalledWith("/api/v1/target-search", {
      params: { header: { "Idempotency-Key": expect.any(String) as string } },
      body: { node_id: "n1", mode: "host_list", inputs: ["a.example.org", "b.example.org"], port: 8443 },
    });
  });

  it("names the input that the panel refuses", async () => {
    const errors = [{ field: "inputs[1]", code: "invalid_value", message: "it is not public" }];
    vi.spyOn(api, "POST").mockResolvedValue(answers({ code: "invalid_value", errors }, 422));
    await renderApp(<SearchForm nodeId="n1" onStarted={() => undefined} />);
    await user.type(await screen.findByLabelText("Hosts, one per line"), "a.example.org 10.0.0.1");
    await user.click(screen.getByRole("button", { name: "Search" }));
    expect(await screen.findByText("10.0.0.1: it is not public")).toBeInTheDocument();
  });

  it("asks for no hosts where the targets are known", async () => {
    const post = vi.spyOn(api, "POST").mockResolvedValue(answers({ id: "s1" }, 202));
    await renderApp(<SearchForm nodeId="n1" onStarted={() => undefined} />);
    await user.click(await screen.findByRole("combobox", { name: "Where targets come from" }));
    await user.click(await screen.findByRole("option", { name: "Neighbours of the node" }));
    expect(screen.queryByLabelText("Hosts, one per line")).toBeNull();
    await user.click(screen.getByRole("button", { name: "Search" }));
    await waitFor(() => expect(post).toHaveBeenCalledOnce());
    expect(post.mock.calls[0]![1]).toMatchObject({ body: { node_id: "n1", mode: "neighbours" } });
  });
});
