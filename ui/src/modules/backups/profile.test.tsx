import { screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import NewProfilePage from "./profile/new-profile-page";
import ProfilePage from "./profile/profile-page";
import { makeProfile, profileId, refusal, serve } from "./testing";

async function fresh(replies: Parameters<typeof serve>[0] = {}, permissions?: string[]) {
  const panel = serve({ "POST /profiles": { status: 201, body: makeProfile() }, ...replies }, permissions);
  const where = { path: "/backups/profiles/new", route: "/backups/profiles/new" };
  const drawn = await renderApp(<NewProfilePage />, { queries: panel.queries, ...where });
  await screen.findByRole("heading", { name: "New backup profile" });
  return { ...panel, ...drawn };
}

async function stored(replies: Parameters<typeof serve>[0] = {}, permissions?: string[]) {
  const panel = serve({ [`GET /profiles/${profileId}`]: { body: makeProfile() }, ...replies }, permissions);
  const where = { path: `/backups/profiles/${profileId}`, route: "/backups/profiles/$id" };
  const drawn = await renderApp(<ProfilePage />, { queries: panel.queries, ...where });
  await screen.findByRole("heading", { name: "Nightly" });
  return { ...panel, ...drawn };
}

const submit = () => userEvent.click(screen.getByRole("button", { name: "Add profile" }));

describe("a new profile", () => {
  it("is added by its name alone", async () => {
    const { written, address } = await fresh();
    await submit();
    expect(screen.getByText("Enter a name")).toBeInTheDocument();
    expect(screen.getByLabelText("Name")).toHaveFocus();
    await userEvent.type(screen.getByLabelText("Name"), "Nightly");
    await submit();
    await expect.poll(address).toBe("/backups");
    expect(written()[0]!.body).toMatchObject({ name: "Nightly", destinations: [{ kind: "local", config: {} }] });
  });

  it("warns of what is not encrypted, and keeps the master key out of it", async () => {
    await fresh();
    expect(screen.getByText(/Whoever reads the files reads/)).toBeInTheDocument();
    expect(screen.getByRole("checkbox", { name: "Master key" })).toBeDisabled();
    await userEvent.click(screen.getByRole("radio", { name: "Passphrase" }));
    expect(screen.queryByText(/Whoever reads the files reads/)).not.toBeInTheDocument();
    expect(screen.getByRole("checkbox", { name: "Master key" })).toBeEnabled();
  });

  it("closes restore tests by schedule for a recipient", async () => {
    await fresh();
    expect(screen.getAllByLabelText("Restore test")[0]).toBeEnabled();
    await userEvent.click(screen.getByRole("radio", { name: "Age recipient" }));
    expect(screen.getAllByLabelText("Restore test")[0]).toBeDisabled();
    expect(screen.getByText(/The panel cannot open backups for a recipient/)).toBeInTheDocument();
  });

  it("refuses a messenger without encryption at the destination", async () => {
    const { written } = await fresh();
    await userEvent.type(screen.getByLabelText("Name"), "Chat");
    const place = within(screen.getByRole("group", { name: "Destination 1" }));
    await userEvent.click(place.getByText("Messenger"));
    await userEvent.type(place.getByLabelText("Chat id"), "1");
    await userEvent.type(place.getByLabelText("Bot token"), "1:a");
    await submit();
    expect(place.getByText(/A messenger takes encrypted backups only/)).toBeInTheDocument();
    expect(written()).toEqual([]);
  });

  it("puts a refusal at its destination, with the drop-in that the folder needs", async () => {
    const message = "the folder must lie in the folder of backups (PANEL_BACKUP_DIR)";
    await fresh({
      "POST /profiles": refusal(422, "invalid_value", { field: "destinations[0].config.folder", message }),
    });
    await userEvent.type(screen.getByLabelText("Name"), "Nightly");
    const place = within(screen.getByRole("group", { name: "Destination 1" }));
    await userEvent.type(place.getByLabelText("Folder"), "/mnt/usb");
    expect(place.queryByText(/ReadWritePaths/)).not.toBeInTheDocument();
    await submit();
    expect(await place.findByText(message)).toBeInTheDocument();
    expect(place.getByText(/ReadWritePaths=\/mnt\/usb/)).toBeInTheDocument();
  });

  it("shows the key of an SSH server before it is kept", async () => {
    const shown = { host_key: "ssh-ed25519 AAAAB", fingerprint: "SHA256:abc" };
    const { written } = await fresh({ "POST /host-key": { body: shown } });
    const place = within(screen.getByRole("group", { name: "Destination 1" }));
    await userEvent.click(place.getByText("SFTP"));
    expect(place.getByRole("button", { name: "Ask the server" })).toHaveAccessibleDescription("Enter the host first");
    await userEvent.type(place.getByLabelText("Host"), "backup.example");
    await userEvent.click(place.getByRole("button", { name: "Ask the server" }));
    expect(await place.findByText("SHA256:abc")).toBeInTheDocument();
    expect(place.getByLabelText("Host key")).toHaveValue("");
    await userEvent.click(place.getByRole("button", { name: "They are equal, keep this key" }));
    expect(place.getByLabelText("Host key")).toHaveValue("ssh-ed25519 AAAAB");
    expect(place.getByText("This key is kept:")).toBeInTheDocument();
    expect(written()).toMatchObject([{ path: "/host-key", body: { host: "backup.example" } }]);
  });

  it("says that a server shows no key", async () => {
    await fresh({ "POST /host-key": refusal(422, "backup_server_unreachable") });
    const place = within(screen.getByRole("group", { name: "Destination 1" }));
    await userEvent.click(place.getByText("SFTP"));
    await userEvent.type(place.getByLabelText("Host"), "nowhere");
    await userEvent.click(place.getByRole("button", { name: "Ask the server" }));
    expect(await place.findByRole("alert")).toBeInTheDocument();
  });

  it("has one destination at least", async () => {
    await fresh();
    expect(screen.queryByRole("button", { name: "Remove destination 1" })).not.toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Add destination" }));
    await userEvent.click(screen.getByRole("button", { name: "Remove destination 1" }));
    expect(screen.getAllByRole("group", { name: /^Destination/ })).toHaveLength(1);
  });
});

describe("a stored profile", () => {
  it("never shows a secret, only that it is stored", async () => {
    await stored();
    expect(screen.getByLabelText("Secret key")).toHaveValue("");
    expect(screen.getByLabelText("Secret key")).toHaveAttribute("placeholder", "Stored. Type to replace it.");
    const passphrase = screen.getAllByLabelText("Passphrase").at(-1);
    expect(passphrase).toHaveAttribute("placeholder", "Stored. Type to replace it.");
  });

  it("is saved once something was changed", async () => {
    const { written } = await stored({ [`PATCH /profiles/${profileId}`]: { body: makeProfile({ revision: 8 }) } });
    expect(screen.getByRole("button", { name: "Save" })).toHaveAccessibleDescription("Nothing was changed");
    await userEvent.type(screen.getByLabelText("Name"), "!");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await expect.poll(written).toHaveLength(1);
    expect(written()[0]!.body).toMatchObject({ name: "Nightly!", revision: 7 });
  });

  it("offers the newer version when somebody else was faster", async () => {
    await stored({
      [`GET /profiles/${profileId}`]: [
        { body: makeProfile() },
        { body: makeProfile({ name: "Nightly 2", revision: 8 }) },
      ],
      [`PATCH /profiles/${profileId}`]: refusal(409, "revision_conflict"),
    });
    await userEvent.type(screen.getByLabelText("Name"), "!");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await userEvent.click(await screen.findByRole("button", { name: "Take the newer version" }));
    await expect.poll(() => screen.getByLabelText<HTMLInputElement>("Name").value).toBe("Nightly 2");
  });

  it("is closed, with the reason, to whoever may only read it", async () => {
    await stored({}, ["backups.view"]);
    expect(screen.getByLabelText("Name")).toBeDisabled();
    expect(screen.getAllByText("Needs the permission backups.manage").length).toBeGreaterThan(0);
  });
});
