import { TextInput } from "@mantine/core";
import { QueryClient } from "@tanstack/react-query";
import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { licenseQuery, meQuery } from "@/api/access";
import { Problem } from "@/api/problem";
import { useSettingsDocument, type SettingsCalls, type SettingsDocument } from "@/api/settings-document";
import { beginSession } from "@/api/session";
import { makeLicense, makeMe } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import { SettingsForm } from "./settings-form";

interface Mail {
  host: string;
  [key: string]: unknown;
}

/** A panel with one document: it checks revisions as the real one does, and refuses a host without a dot. */
function panel() {
  let stored: SettingsDocument<Mail> = { revision: 3, stored: true, updated_at: null, settings: { host: "mail.old" } };
  const calls: SettingsCalls<Mail, Mail> = {
    read: () => Promise.resolve(stored),
    write: ({ revision, settings }) => {
      if (revision !== stored.revision) return Promise.reject(new Problem({ status: 409, code: "revision_conflict" }));
      if (!settings.host.includes(".")) {
        const errors = [{ field: "body.settings.host", code: "invalid", message: "a host has a dot" }];
        return Promise.reject(new Problem({ status: 422, code: "invalid", errors }));
      }
      stored = { ...stored, revision: revision + 1, settings };
      return Promise.resolve(stored);
    },
  };
  const somebodySaves = (host: string) => (stored = { ...stored, revision: stored.revision + 1, settings: { host } });
  return { calls, somebodySaves, host: () => stored.settings.host, revision: () => stored.revision };
}

function Section({ calls }: { calls: SettingsCalls<Mail, Mail> }) {
  const document = useSettingsDocument<Mail, Mail>("mail", calls);
  return (
    <SettingsForm title="Mail" document={document} rule={{ needs: "settings.manage" }} valuesOf={(view) => view}>
      {({ field }) => <TextInput label="Host" {...field("host")} />}
    </SettingsForm>
  );
}

async function open(permissions: string[] = ["*"]) {
  beginSession("ps_test");
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryDefaults(["accounts"], { staleTime: Infinity });
  queries.setQueryDefaults(["license"], { staleTime: Infinity });
  queries.setQueryData(meQuery.queryKey, makeMe(permissions));
  queries.setQueryData(licenseQuery.queryKey, makeLicense());
  const server = panel();
  await renderApp(<Section calls={server.calls} />, { queries });
  return { server, queries, host: await screen.findByRole("textbox", { name: "Host" }) };
}

async function type(host: HTMLElement, text: string) {
  await userEvent.clear(host);
  await userEvent.type(host, text);
}

describe("a settings document as a form", () => {
  it("saves with the revision that was read, and goes on from the stored one", async () => {
    const { server, host } = await open();
    await type(host, "mail.new");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await expect.poll(() => server.host()).toBe("mail.new");
    await expect.poll(() => screen.queryByRole("region", { name: "Unsaved changes" })).toBeNull();
    await type(host, "mail.newer");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await expect.poll(() => server.host()).toBe("mail.newer");
  });

  it("shows a refusal at its field", async () => {
    const { host } = await open();
    await type(host, "nodot");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByText("a host has a dot")).toBeInTheDocument();
    expect(host).toHaveAccessibleDescription(/a host has a dot/);
  });

  it("offers both outcomes when somebody saved before, and loses nothing until one is chosen", async () => {
    const { server, host } = await open();
    await type(host, "mail.mine");
    server.somebodySaves("mail.theirs");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByText("These settings were changed while you were typing")).toBeInTheDocument();
    expect(host).toHaveValue("mail.mine");
    expect(server.host()).toBe("mail.theirs");
    await userEvent.click(screen.getByRole("button", { name: "Overwrite with mine" }));
    await expect.poll(() => server.host()).toBe("mail.mine");
    expect(server.revision()).toBe(5);
  });

  it("loads what holds now when that is chosen", async () => {
    const { server, host } = await open();
    await type(host, "mail.mine");
    server.somebodySaves("mail.theirs");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await userEvent.click(await screen.findByRole("button", { name: "Load current settings" }));
    await expect.poll(() => (host as HTMLInputElement).value).toBe("mail.theirs");
  });

  it("follows what others save while nothing is typed", async () => {
    const { server, queries, host } = await open();
    server.somebodySaves("mail.theirs");
    await queries.invalidateQueries({ queryKey: ["settings"] });
    await expect.poll(() => (host as HTMLInputElement).value).toBe("mail.theirs");
    await type(host, "mail.mine");
    server.somebodySaves("mail.again");
    await queries.invalidateQueries({ queryKey: ["settings"] });
    await expect.poll(() => screen.queryByRole("region", { name: "Unsaved changes" })).not.toBeNull();
    expect(host).toHaveValue("mail.mine");
  });

  it("is closed, with the reason, to whoever may only read it", async () => {
    const { host } = await open(["nodes.view"]);
    expect(host).toBeDisabled();
    expect(screen.getByText("Needs the permission settings.manage")).toBeInTheDocument();
  });
});
