import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import { asksBeforeItCloses, renderDialog } from "@/testing/typed-text";
import { makeEntry, pageOf, serve, userRef } from "../testing";
import { AllowDialog, written } from "./allow-dialog";
import AllowlistPage from "./allowlist-page";

const added = { status: 201, body: makeEntry() };

describe("the allow-list", () => {
  it("says who is allowed, why, and until when", async () => {
    const asn = makeEntry({ id: "2", kind: "asn", value: "64500", label: "", note: "a university" });
    const { queries } = serve({ "GET /allowlist": pageOf(makeEntry(), asn) });
    await renderApp(<AllowlistPage />, { queries });
    expect(await screen.findByRole("link", { name: "anna's phone" })).toBeInTheDocument();
    const row = within(screen.getByText("AS64500").closest("tr")!);
    expect(row.getByText("a university")).toBeInTheDocument();
    expect(row.getByText("never")).toBeInTheDocument();
  });

  it("takes an entry away after it was asked what follows", async () => {
    const { queries, written: sent } = serve({
      "GET /allowlist": pageOf(makeEntry()),
      [`DELETE /allowlist/${makeEntry().id}`]: { status: 204 },
    });
    await renderApp(<AllowlistPage />, { queries });
    await userEvent.click(await screen.findByRole("button", { name: "Actions for anna's phone" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Take from the list…" }));
    expect(await screen.findByText(/are shown again and count in the score/)).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Take from the list" }));
    await waitFor(() => expect(sent().map(({ method }) => method)).toEqual(["DELETE"]));
  });

  it("can be read but not changed in read-only mode", async () => {
    const { queries } = serve({ "GET /allowlist": pageOf() }, ["*"], { read_only: true });
    await renderApp(<AllowlistPage />, { queries });
    const [add] = await screen.findAllByRole("button", { name: "Add to the list" });
    expect(add).toHaveAttribute("aria-disabled", "true");
    expect(screen.getAllByText("Changes are off until a license is active").length).toBeGreaterThan(0);
  });
});

describe("allowing somebody", () => {
  it("sends a network by its number, with the reason", async () => {
    const onClose = vi.fn();
    const { queries, written: sent } = serve({ "POST /allowlist": added });
    await renderApp(<AllowDialog onClose={onClose} />, { queries });
    await userEvent.click(await screen.findByRole("radio", { name: "Network" }));
    await userEvent.type(screen.getByRole("textbox", { name: "Network" }), "AS64500");
    await userEvent.type(screen.getByLabelText("Reason"), "a university");
    await userEvent.click(screen.getByRole("button", { name: "Allow" }));
    await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
    expect(sent()[0]!.body).toEqual({ kind: "asn", value: "64500", note: "a university" });
  });

  it("sends the user whose page it was opened on", async () => {
    const { queries, written: sent } = serve({ "POST /allowlist": added });
    const preset = { kind: "user" as const, value: userRef, label: "anna's phone" };
    await renderApp(<AllowDialog preset={preset} onClose={vi.fn()} />, { queries });
    expect(await screen.findByText("Allow anna's phone")).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Allow" }));
    await waitFor(() => expect(sent()[0]!.body).toEqual({ kind: "user", value: userRef, note: "" }));
  });

  it("puts a refusal at its field", async () => {
    const errors = [{ field: "value", code: "invalid_value", message: "is not a user_ref" }];
    const { queries } = serve({
      "POST /allowlist": { status: 422, body: { status: 422, code: "validation_failed", errors } },
    });
    await renderApp(<AllowDialog onClose={vi.fn()} />, { queries });
    await userEvent.type(await screen.findByRole("textbox", { name: "User" }), "somebody");
    await userEvent.click(screen.getByRole("button", { name: "Allow" }));
    expect(await screen.findByText("is not a user_ref")).toBeInTheDocument();
  });

  it("asks before typed text is lost", async () => {
    const onClose = vi.fn();
    const { queries } = serve({});
    await renderDialog(<AllowDialog onClose={onClose} />, { queries });
    await userEvent.type(await screen.findByLabelText("Reason"), "because");
    await asksBeforeItCloses(onClose);
  });

  it("reads an id alone as a client's, and a number with its letters", () => {
    expect(written("user", ` ${userRef.slice(2)} `)).toBe(userRef);
    expect(written("user", "p:main:7")).toBe("p:main:7");
    expect(written("asn", "as 64500")).toBe("64500");
  });
});
