import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { it, vi } from "vitest";
import { asksBeforeItCloses, renderDialog } from "@/testing/typed-text";
import { ActivateDialog } from "./activate-dialog";

it("asks before a pasted key is lost", async () => {
  const closed = vi.fn();
  await renderDialog(<ActivateDialog opened onClose={closed} onSubmit={vi.fn()} busy={false} error={null} />);
  await userEvent.type(await screen.findByLabelText("License key"), "PNL-1");
  await asksBeforeItCloses(closed);
});
