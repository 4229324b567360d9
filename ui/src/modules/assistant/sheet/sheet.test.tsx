import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { renderApp } from "@/testing/render-app";
import { makeAnswer, makeProposal, makeQuestion, makeState, pageOf, proposalId, questionId, serve } from "../testing";
import AssistantSheet from "./sheet";

type Replies = Parameters<typeof serve>[0];

async function draw(replies: Replies, permissions?: string[]) {
  const close = vi.fn();
  const served = serve({ "GET /assistant": { body: makeState() }, ...replies }, permissions);
  const drawn = await renderApp(<AssistantSheet onClose={close} />, { queries: served.queries, path: "/flows/f1" });
  return { ...served, ...drawn, close };
}

const answered = (change: Parameters<typeof makeAnswer>[0] = {}) => ({
  "GET /assistant/questions": pageOf(makeQuestion({ answer: makeAnswer(change) })),
});

describe("the sheet", () => {
  it("offers questions that fit the page and asks one by a click", async () => {
    const { written } = await draw({
      "GET /assistant/questions": pageOf(),
      "POST /assistant/questions": { status: 201, body: makeQuestion() },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Which nodes are offline?" }));
    await waitFor(() =>
      expect(written()).toEqual([
        {
          method: "POST",
          path: "/assistant/questions",
          body: { text: "Which nodes are offline?", language: "en", page: "/flows/f1" },
        },
      ]),
    );
    expect(await screen.findByText("One node is offline.")).toBeInTheDocument();
  });

  it("sends a typed question with Enter and begins a line with Shift", async () => {
    const { written } = await draw({
      "GET /assistant/questions": pageOf(),
      "POST /assistant/questions": { status: 201, body: makeQuestion() },
    });
    const field = await screen.findByRole("textbox", { name: "Question" });
    await userEvent.type(field, "who{Shift>}{Enter}{/Shift}did it{Enter}");
    await waitFor(() => expect(written()).toHaveLength(1));
    expect(written()[0]!.body).toMatchObject({ text: "who\ndid it" });
    await waitFor(() => expect(field).toHaveValue(""));
  });

  it("keeps what was typed when the panel refuses it", async () => {
    await draw({
      "GET /assistant/questions": pageOf(),
      "POST /assistant/questions": { status: 429, body: { status: 429, code: "throttled" } },
    });
    const field = await screen.findByRole("textbox", { name: "Question" });
    await userEvent.type(field, "who{Enter}");
    expect(await screen.findByRole("alert")).toBeInTheDocument();
    expect(field).toHaveValue("who");
  });

  it("says why nothing can be asked without a license", async () => {
    await draw({
      "GET /assistant": { body: makeState({ read_only: true }) },
      ...answered(),
    });
    expect(await screen.findAllByText(/asking keeps a history, so it waits for a license/)).not.toHaveLength(0);
    expect(screen.getByRole("textbox", { name: "Question" })).toBeDisabled();
  });

  it("says that the plan does not have it", async () => {
    await draw({ "GET /assistant": { body: makeState({ available: false }) }, "GET /assistant/questions": pageOf() });
    expect(await screen.findAllByText("The assistant is not in the plan of the license.")).not.toHaveLength(0);
  });
});

describe("an answer", () => {
  it("leads to pages of the panel and nowhere else", async () => {
    await draw(
      answered({
        paragraphs: [
          {
            kind: "text",
            text: "See",
            links: [
              { label: "node", href: "/nodes/n1?tab=health" },
              { label: "out", href: "https://evil.example" },
              { label: "out too", href: "//evil.example" },
            ],
          },
        ],
      }),
    );
    expect(await screen.findByRole("link", { name: "node" })).toHaveAttribute("href", "/nodes/n1?tab=health");
    expect(screen.queryByRole("link", { name: /out/ })).not.toBeInTheDocument();
  });

  it("makes the name in its text the link", async () => {
    const links = [{ label: "ams-02", href: "/nodes/n1" }];
    await draw(answered({ paragraphs: [{ kind: "text", text: "It is ams-02 that is down.", links }] }));
    const link = await screen.findByRole("link", { name: "ams-02" });
    expect(link.closest("p")).toHaveTextContent("It is ams-02 that is down.");
  });

  it("shows a name that looks like markup as it is", async () => {
    const text = "<img src=x onerror=alert(1)> **is** down";
    await draw(answered({ paragraphs: [{ kind: "text", text, links: [] }] }));
    expect(await screen.findByText(text)).toBeInTheDocument();
  });

  it("numbers steps and lists items", async () => {
    await draw(
      answered({
        paragraphs: [
          { kind: "step", text: "First", links: [] },
          { kind: "step", text: "Then", links: [] },
          { kind: "item", text: "One", links: [] },
        ],
      }),
    );
    const steps = (await screen.findByText("First")).closest("ol")!;
    expect(within(steps).getAllByRole("listitem")).toHaveLength(2);
    expect(screen.getByText("One").closest("ul")).not.toBeNull();
  });

  it("shows each call of a model that was refused, whatever it is called", async () => {
    await draw(
      answered({
        refused: [
          { tool: "<b>delete_everything</b>", reason: "unknown_tool" },
          { tool: "node_dies", reason: "wrong_arguments" },
        ],
      }),
    );
    expect(await screen.findByText("The model tried 2 calls that it may not make; nothing was done")).toBeVisible();
    const call = screen.getByText("<b>delete_everything</b>").closest("li")!;
    expect(call).toHaveTextContent("There is no such tool.");
    expect(screen.getByText("node_dies").closest("li")).toHaveTextContent("does not take what the model sent");
  });

  it("lists what was read and says what the account may not see", async () => {
    await draw(
      answered({
        read: [
          { path: "/api/v1/nodes", at: "2026-03-11T04:00:00Z", ok: true, missing: [] },
          { path: "/api/v1/audit", at: "2026-03-11T04:00:00Z", ok: false, missing: ["audit.view"] },
        ],
      }),
    );
    expect(await screen.findByText("2 requests read for this")).toBeInTheDocument();
    expect(screen.getByText("You cannot see this: audit.view is missing.")).toBeVisible();
  });

  it("is deleted with its question", async () => {
    const { written } = await draw({ ...answered(), [`DELETE /assistant/questions/${questionId}`]: { status: 204 } });
    await userEvent.click(await screen.findByRole("button", { name: "Actions for Which nodes are offline?" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Delete question and answer" }));
    await waitFor(() => expect(written()).toHaveLength(1));
  });
});

describe("a proposal", () => {
  const confirm = `POST /assistant/proposals/${proposalId}/confirm`;
  const reject = `POST /assistant/proposals/${proposalId}/reject`;
  const send = "POST /nodes/n1/maintenance";

  it("shows what changes and does nothing by itself", async () => {
    const { written } = await draw(answered({ proposals: [makeProposal()] }));
    const card = within(await screen.findByRole("region", { name: "Maintenance of ams-02" }));
    expect(card.getByRole("rowheader", { name: "maintenance" })).toBeInTheDocument();
    expect(card.getByText("POST /api/v1/nodes/n1/maintenance")).toBeInTheDocument();
    expect(written()).toEqual([]);
  });

  it("is confirmed first and then sent to the ordinary API", async () => {
    const { written } = await draw({
      "GET /assistant/questions": [
        pageOf(makeQuestion({ answer: makeAnswer({ proposals: [makeProposal()] }) })),
        pageOf(makeQuestion({ answer: makeAnswer({ proposals: [makeProposal({ state: "confirmed" })] }) })),
      ],
      [confirm]: { body: makeProposal({ state: "confirmed" }) },
      [send]: { body: {} },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Confirm" }));
    await waitFor(() =>
      expect(written().map(({ path }) => path)).toEqual([
        `/assistant/proposals/${proposalId}/confirm`,
        "/nodes/n1/maintenance",
      ]),
    );
    expect(written()[1]!.body).toEqual({ reason: "offline" });
    expect(await screen.findByRole("link", { name: "Look at it" })).toHaveAttribute("href", "/nodes/n1");
  });

  it("that the panel refuses says why and may be sent again, without a second confirmation", async () => {
    const { written } = await draw({
      "GET /assistant/questions": [
        pageOf(makeQuestion({ answer: makeAnswer({ proposals: [makeProposal()] }) })),
        pageOf(makeQuestion({ answer: makeAnswer({ proposals: [makeProposal({ state: "confirmed" })] }) })),
      ],
      [confirm]: { body: makeProposal({ state: "confirmed" }) },
      [send]: [{ status: 409, body: { status: 409, code: "revision_conflict" } }, { body: {} }],
    });
    await userEvent.click(await screen.findByRole("button", { name: "Confirm" }));
    expect(await screen.findByText("Not done.")).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Send again" }));
    await waitFor(() => expect(written()).toHaveLength(3));
    expect(written()[2]!.path).toBe("/nodes/n1/maintenance");
  });

  it("is not sent when it cannot be confirmed", async () => {
    const { written } = await draw({
      ...answered({ proposals: [makeProposal()] }),
      [confirm]: { status: 409, body: { status: 409, code: "proposal_settled" } },
    });
    await userEvent.click(await screen.findByRole("button", { name: "Confirm" }));
    expect(await screen.findByText(/Ask again/)).toBeInTheDocument();
    expect(written()).toHaveLength(1);
  });

  it("is closed to whoever lacks its permission", async () => {
    await draw(answered({ proposals: [makeProposal()] }), ["assistant.use"]);
    const button = await screen.findByRole("button", { name: "Confirm" });
    expect(button).toHaveAccessibleDescription("This needs the permission nodes.edit.");
  });

  it("may be turned down", async () => {
    const { written } = await draw({
      ...answered({ proposals: [makeProposal()] }),
      [reject]: { body: makeProposal() },
    });
    await userEvent.click(await screen.findByRole("button", { name: "No" }));
    await waitFor(() => expect(written()).toHaveLength(1));
  });
});
