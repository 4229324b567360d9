import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { it, vi } from "vitest";
import { makeNode } from "@/testing/fixtures";
import { asksBeforeItCloses, renderDialog } from "@/testing/typed-text";
import { TagsDialog } from "./tags-dialog";

it("asks before tags are lost", async () => {
  const closed = vi.fn();
  await renderDialog(<TagsDialog opened nodes={[makeNode()]} onChange={vi.fn()} onClose={closed} />);
  await userEvent.type(await screen.findByLabelText("Add", { selector: "input:not([type=hidden])" }), "edge{Enter}");
  // In the field, Escape belongs to its list.
  await userEvent.tab();
  await asksBeforeItCloses(closed);
});
