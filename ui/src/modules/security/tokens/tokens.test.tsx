import { screen, waitFor } from "@testing-library/react";
import user from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { api } from "@/api/client";
import { renderApp } from "@/testing/render-app";
import { CreateTokenDialog, offered } from "./create-token-dialog";
import { TokensView } from "./tokens-view";

const token = {
  id: "01890000-0000-7000-8000-000000000009",
  name: "deploy",
  permissions: ["nodes.view"],
  created_at: "2026-03-10T15:02:00Z",
  expires_at: "2026-06-10T15:02:00Z",
  last_used_at: null,
  expired: true,
};

describe("one's own API tokens", () => {
  afterEach(() => vi.restoreAllMocks());

  it("offers what the account holds and each key that it opens", () => {
    expect(offered(["nodes.*"])).toEqual(["nodes.*", "nodes.edit", "nodes.view"]);
    expect(offered(["*"])).toContain("settings.manage");
    expect(offered([])).toEqual([]);
  });

  it("asks for name and password, then shows the token until it is kept", async () => {
    const post = vi
      .spyOn(api, "POST")
      .mockResolvedValue({ data: { token: "pat_canary", api_token: token }, response: new Response() } as never);
    const closed = vi.fn();
    await renderApp(<CreateTokenDialog opened onClose={closed} />);
    const verb = await screen.findByRole("button", { name: "Create token" });
    verb.click();
    expect(await screen.findByText("Enter a name")).toBeInTheDocument();
    expect(post).not.toHaveBeenCalled();
    await user.type(screen.getByLabelText(/^Name/), " deploy ");
    await user.type(screen.getByLabelText(/Your password/), "correct horse");
    verb.click();
    expect(await screen.findByText("pat_canary")).toBeInTheDocument();
    const body = { name: "deploy", permissions: [], expires_in_days: 90, current_password: "correct horse" };
    expect(post).toHaveBeenCalledWith("/api/v1/auth/tokens", { body });
    const done = screen.getByRole("button", { name: /^Done/ });
    expect(done).toHaveAttribute("aria-disabled", "true");
    await user.click(screen.getByRole("checkbox"));
    screen.getByRole("button", { name: /^Done/ }).click();
    await waitFor(() => expect(closed).toHaveBeenCalledOnce());
  });

  it("lists tokens with their permissions and says which have expired", async () => {
    const revoked = vi.fn();
    await renderApp(
      <TokensView state={{ kind: "ready", data: [token] }} onCreate={() => undefined} onRevoke={revoked} />,
    );
    expect(await screen.findByText("nodes.view")).toBeInTheDocument();
    expect(screen.getByText(/expired/)).toBeInTheDocument();
    screen.getByRole("button", { name: "Revoke deploy" }).click();
    expect(revoked).toHaveBeenCalledWith(token);
  });
});
