import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { it, vi } from "vitest";
import { asksBeforeItCloses, renderDialog } from "@/testing/typed-text";
import type { Passkey } from "./api";
import { PasskeyDialog } from "./passkey-dialog";
import { RenamePasskeyDialog } from "./rename-passkey-dialog";
import { CreateTokenDialog } from "./tokens/create-token-dialog";

it("asks before the name of a new token is lost", async () => {
  const closed = vi.fn();
  await renderDialog(<CreateTokenDialog opened onClose={closed} />);
  await userEvent.type(await screen.findByLabelText("Name"), "metrics");
  await asksBeforeItCloses(closed);
});

it("asks before the name of a passkey is lost, a new one and a known one", async () => {
  const closed = vi.fn();
  const { unmount } = await renderDialog(<PasskeyDialog opened onClose={closed} />);
  await userEvent.type(await screen.findByLabelText("Name"), "key");
  await asksBeforeItCloses(closed);
  unmount();
  const again = vi.fn();
  await renderDialog(<RenamePasskeyDialog passkey={{ id: "p1", name: "phone" } as Passkey} onClose={again} />);
  await userEvent.type(await screen.findByLabelText("Name"), " of anna");
  await asksBeforeItCloses(again);
});
