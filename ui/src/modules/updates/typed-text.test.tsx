import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { it, vi } from "vitest";
import { asksBeforeItCloses, renderDialog } from "@/testing/typed-text";
import type { Rings } from "./api";
import { RingsDialog } from "./rings-dialog";

const rings = { rings: [], sizes: [1, 25], first: [], behind: 0, pause_seconds: 5, parallel: 1, revision: 1 };

it("asks before changed rings are lost", async () => {
  const closed = vi.fn();
  await renderDialog(<RingsDialog opened rings={rings as unknown as Rings} onClose={closed} />);
  await userEvent.type(await screen.findByLabelText("Watch each ring"), "0");
  await asksBeforeItCloses(closed);
});
