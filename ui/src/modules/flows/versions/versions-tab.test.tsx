import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { changeLanguage } from "@/text/i18n";
import { renderApp } from "@/testing/render-app";
import EditorPage from "../editor/editor-page";
import { fakeState, type FakeState } from "../testing/fake-panel";
import { fileName } from "../shared/file-name";
import { serveFake } from "../testing/serve-fake";

async function open(change: Partial<FakeState> = {}) {
  const panel = serveFake(fakeState(change));
  const page = await renderApp(<EditorPage />, {
    path: "/flows/f-europe/versions",
    route: "/flows/$id/{-$tab}",
    queries: panel.queries,
  });
  await screen.findByText("v17");
  return { ...page, ...panel };
}

const row = (name: string) => within(screen.getByText(name).closest("li")!);

async function act(version: string, item: string) {
  await userEvent.click(row(version).getByRole("button", { name: `Actions for ${version}` }));
  await userEvent.click(await screen.findByRole("menuitem", { name: item }));
}

describe("the time line of a flow", () => {
  afterEach(() => changeLanguage("en"));

  it("names a version, and the name is asked for when the draft is saved as one", async () => {
    const { written } = await open();
    await act("v16", "Rename…");
    const dialog = within(await screen.findByRole("dialog", { name: "Name of v16" }));
    await userEvent.type(dialog.getByRole("textbox", { name: "Name" }), "Stable before holidays{Enter}");
    expect(await row("v16").findByText("Stable before holidays")).toBeInTheDocument();
    expect(written().filter(({ method }) => method === "PATCH")).toMatchObject([
      { path: "/api/v1/connection-units/f-europe/versions/v-16", body: { note: "Stable before holidays" } },
    ]);
    await userEvent.click(screen.getByRole("button", { name: "Save version" }));
    await userEvent.type(await screen.findByRole("textbox", { name: "Name" }), "Before the move");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByText("Before the move")).toBeInTheDocument();
  });

  it("pins a version, and shows only pinned ones where that is asked", async () => {
    await open();
    await userEvent.click(screen.getByRole("radio", { name: "Pinned" }));
    expect(await screen.findByText(/^Nothing is pinned/)).toBeInTheDocument();
    await userEvent.click(screen.getByRole("radio", { name: "All" }));
    await act("v15", "Pin");
    expect(await row("v15").findByRole("img", { name: "pinned" })).toBeInTheDocument();
    await userEvent.click(screen.getByRole("radio", { name: "Pinned" }));
    await waitFor(() => expect(screen.queryByText("v16")).not.toBeInTheDocument());
    await act("v15", "Unpin");
    expect(await screen.findByText(/^Nothing is pinned/)).toBeInTheDocument();
  });

  it("says in the dialog why a name was refused, and keeps what was typed", async () => {
    const path = "PATCH /api/v1/connection-units/f-europe/versions/v-16";
    await open({ refusals: { [path]: [{ status: 409, body: { code: "too_many_pinned" } }] } });
    await act("v16", "Rename…");
    const dialog = within(await screen.findByRole("dialog"));
    await userEvent.type(dialog.getByRole("textbox"), "Kept{Enter}");
    expect(await dialog.findByText(/As many versions are pinned/)).toBeInTheDocument();
    expect(dialog.getByRole("textbox")).toHaveValue("Kept");
  });

  it("downloads the drawing of a version and of the draft", async () => {
    const files: Blob[] = [];
    URL.createObjectURL = vi.fn((file: Blob) => `blob:${files.push(file)}`);
    URL.revokeObjectURL = vi.fn();
    const clicked = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => undefined);
    const { asked } = await open();
    await act("v14", "Download JSON");
    await waitFor(() => expect(files).toHaveLength(1));
    expect((clicked.mock.contexts[0] as HTMLAnchorElement).download).toBe("Europe-main-v14.json");
    expect(JSON.parse(await files[0]!.text())).toHaveProperty("nodes");
    expect(asked.some(({ path }) => path.endsWith("/versions/v-14"))).toBe(true);
    expect(fileName('a/b: "c"')).toBe("a-b-c");
    expect(fileName("../..")).toBe("flow");
  });

  it("changes nothing for who may only look, and speaks Russian", async () => {
    await open({ permissions: ["connection_units.view"] });
    await changeLanguage("ru");
    await userEvent.click(await row("v16").findByRole("button", { name: /v16/, expanded: false }));
    expect(await screen.findByRole("menuitem", { name: "Закрепить" })).toHaveAttribute("data-disabled");
    expect(screen.getByRole("menuitem", { name: "Скачать JSON" })).not.toHaveAttribute("data-disabled");
  });
});
