import { screen, waitFor } from "@testing-library/react";
import user from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { api } from "@/api/client";
import { renderApp } from "@/testing/render-app";
import { RemovePasskeyDialog } from "./remove-passkey-dialog";
import { RenamePasskeyDialog } from "./rename-passkey-dialog";
import { RenewCodesDialog } from "./renew-codes-dialog";

const passkey = {
  id: "01890000-0000-7000-8000-000000000009",
  name: "laptop",
  created_at: "2026-03-10T15:02:00Z",
  last_used_at: null,
};
const response = new Response();

describe("changes of one's own second factors", () => {
  afterEach(() => vi.restoreAllMocks());

  it("asks for the password, then shows the new recovery codes until they are kept", async () => {
    const post = vi
      .spyOn(api, "POST")
      .mockResolvedValue({ data: { recovery_codes: ["aaaa-bbbb", "cccc-dddd"] }, response } as never);
    await renderApp(<RenewCodesDialog opened onClose={() => undefined} />);
    const verb = await screen.findByRole("button", { name: "Generate new codes" });
    verb.click();
    expect(await screen.findByText("Enter your password")).toBeInTheDocument();
    expect(post).not.toHaveBeenCalled();
    await user.type(screen.getByLabelText(/Your password/), "correct horse");
    verb.click();
    expect(await screen.findByText("cccc-dddd")).toBeInTheDocument();
    expect(post).toHaveBeenCalledWith("/api/v1/auth/totp/recovery-codes", { body: { password: "correct horse" } });
    expect(screen.getByRole("button", { name: /^Done/ })).toHaveAttribute("aria-disabled", "true");
  });

  it("asks for the password before a passkey is removed", async () => {
    const post = vi.spyOn(api, "POST").mockResolvedValue({ response: new Response(null, { status: 204 }) } as never);
    const closed = vi.fn();
    await renderApp(<RemovePasskeyDialog passkey={passkey} onClose={closed} />);
    const verb = await screen.findByRole("button", { name: "Remove passkey" });
    verb.click();
    expect(await screen.findByText("Enter your password")).toBeInTheDocument();
    expect(post).not.toHaveBeenCalled();
    await user.type(screen.getByLabelText(/Your password/), "correct horse");
    verb.click();
    const request = { params: { path: { id: passkey.id } }, body: { password: "correct horse" } };
    await waitFor(() => expect(post).toHaveBeenCalledWith("/api/v1/auth/passkeys/{id}/remove", request));
    await waitFor(() => expect(closed).toHaveBeenCalledOnce());
  });

  it("renames a passkey without blanks around the name", async () => {
    const patch = vi.spyOn(api, "PATCH").mockResolvedValue({ data: passkey, response } as never);
    await renderApp(<RenamePasskeyDialog passkey={passkey} onClose={() => undefined} />);
    const name = await screen.findByLabelText(/Name/);
    await user.clear(name);
    screen.getByRole("button", { name: "Rename" }).click();
    expect(await screen.findByText("Enter a name")).toBeInTheDocument();
    await user.type(name, " work ");
    screen.getByRole("button", { name: "Rename" }).click();
    await waitFor(() =>
      expect(patch).toHaveBeenCalledWith("/api/v1/auth/passkeys/{id}", {
        params: { path: { id: passkey.id } },
        body: { name: "work" },
      }),
    );
  });
});
