import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { WireGuardFile } from "./wireguard-file";

const conf = "[Interface]\nPrivateKey = aa=\nAddress = 10.7.0.2/32\n\n[Peer]\nEndpoint = fra-02.example.net:51820\n";

it("puts the whole file on the clipboard, says so, and writes nothing of it on the page", async () => {
  const user = userEvent.setup();
  const { container } = await renderApp(<WireGuardFile conf={conf} />);
  await user.click(await screen.findByRole("button", { name: "Copy the file" }));
  expect(await screen.findByRole("status")).toHaveTextContent("Copied");
  expect(await navigator.clipboard.readText()).toBe(conf);
  expect(container).not.toHaveTextContent("PrivateKey");
});

it("says which program takes the file and which takes the link", async () => {
  await renderApp(<WireGuardFile conf={conf} />);
  expect(await screen.findByText(/WireGuard.*Other programs take the link/)).toBeVisible();
});
