import { screen, waitFor } from "@testing-library/react";
import user from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { api } from "@/api/client";
import { Problem } from "@/api/problem";
import { renderApp } from "@/testing/render-app";
import type { Account } from "../directory/api";
import { NewPasswordForm } from "./new-password-form";
import { ResetPasswordDialog } from "../directory/reset-password-dialog";
import { isUsername } from "../directory/username-rule";

const boris = { id: "01890000-0000-7000-8000-000000000009", username: "boris" } as Account;
const path = "/api/v1/accounts/{id}/password";

describe("a password of one's own", () => {
  it("is asked for with the present one, and can be left by signing out", async () => {
    const submitted = vi.fn();
    const left = vi.fn();
    await renderApp(<NewPasswordForm error={null} busy={false} onSubmit={submitted} onLeave={left} />);
    const verb = await screen.findByRole("button", { name: "Set password" });
    await user.click(verb);
    expect(await screen.findByText("Enter the current password")).toBeInTheDocument();
    expect(submitted).not.toHaveBeenCalled();
    await user.type(screen.getByLabelText(/Current password/), "handed over");
    await user.type(screen.getByLabelText(/New password/), "correct horse");
    await user.click(verb);
    expect(submitted.mock.calls[0]?.[0]).toEqual({ current_password: "handed over", new_password: "correct horse" });
    await user.click(screen.getByRole("button", { name: "Sign out" }));
    expect(left).toHaveBeenCalledOnce();
  });

  it("says in the words of the page that the present one is wrong", async () => {
    const wrong = new Problem({
      status: 422,
      code: "invalid_value",
      errors: [{ field: "current_password", code: "invalid_value", message: "from the panel" }],
    });
    await renderApp(<NewPasswordForm error={wrong} busy={false} onSubmit={vi.fn()} onLeave={vi.fn()} />);
    expect(await screen.findByText("This is not the current password")).toBeInTheDocument();
    expect(screen.queryByText("from the panel")).not.toBeInTheDocument();
  });
});

describe("a reset of somebody else's password", () => {
  afterEach(() => vi.restoreAllMocks());

  it("asks for one's own password before it takes the second factor off", async () => {
    const post = vi.spyOn(api, "POST").mockResolvedValue({ response: new Response(null, { status: 204 }) } as never);
    await renderApp(<ResetPasswordDialog account={boris} onClose={() => undefined} />);
    await user.type(await screen.findByLabelText(/New password/), "battery staple");
    expect(screen.queryByLabelText(/Your own password/)).not.toBeInTheDocument();
    await user.click(screen.getByLabelText(/Also remove the second factor/));
    const verb = screen.getByRole("button", { name: "Reset password" });
    await user.click(verb);
    expect(await screen.findByText("Enter your own password")).toBeInTheDocument();
    expect(post).not.toHaveBeenCalled();
    await user.type(screen.getByLabelText(/Your own password/), "mine");
    await user.click(screen.getByLabelText(/Must choose a password/));
    await user.click(verb);
    const body = {
      password: "battery staple",
      must_change_password: false,
      remove_second_factor: true,
      current_password: "mine",
    };
    await waitFor(() => expect(post).toHaveBeenCalledWith(path, { params: { path: { id: boris.id } }, body }));
  });
});

it("takes usernames of any script, and none that begins with a mark or holds a blank", () => {
  for (const name of ["anna", "Админ", "अमित", "e\u0301milie", "a@b.example"]) expect(isUsername(name)).toBe(true);
  for (const name of ["ab", "\u0301anna", "an na", "<anna>", "a".repeat(65)]) expect(isUsername(name)).toBe(false);
});
