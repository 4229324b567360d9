import { describe, expect, it } from "vitest";
import { Problem, isProblem } from "@/api/problem";
import * as channel from "./channel-draft";
import * as rule from "./rule-draft";
import { bodyOf, fieldsOf, flattened } from "./settings/settings-document";
import { events, makeMail, makeRule, makeSettings, makeWebhook } from "./testing";

describe("the dialog of a channel", () => {
  it("asks for address and key of a new receiver, and of a stored one for neither", () => {
    const draft = channel.draftOf(undefined);
    expect(channel.problemsOf(draft, false)).toEqual({ name: "name", url: "url", secret: "secret" });
    expect(channel.problemsOf({ ...draft, name: "a", url: "ftp://x", secret: "short" }, false)).toEqual({
      url: "url",
      secret: "secretShort",
    });
    expect(channel.problemsOf(channel.draftOf(makeWebhook()), true)).toEqual({});
  });

  it("asks for server, sender and recipients of mail", () => {
    const draft = { ...channel.draftOf(undefined), kind: "email" as const, name: "a", to: ["no address"], port: "" };
    expect(channel.problemsOf(draft, false)).toEqual({ host: "host", port: "port", from: "from", to: "to" });
    expect(channel.problemsOf(channel.draftOf(makeMail()), true)).toEqual({});
  });

  it("sends a secret only when one was typed or is to be removed", () => {
    const webhook = channel.draftOf(makeWebhook());
    expect(channel.changeOf(webhook, makeWebhook())).toEqual({
      id: makeWebhook().id,
      revision: 3,
      name: "Duty desk",
      enabled: true,
    });
    expect(channel.changeOf({ ...webhook, secret: "0123456789abcdef" }, makeWebhook()).webhook).toEqual({
      secret: "0123456789abcdef",
    });
    const mail = channel.draftOf(makeMail());
    expect(channel.changeOf(mail, makeMail()).email).not.toHaveProperty("password");
    expect(channel.changeOf({ ...mail, dropPassword: true }, makeMail()).email).toMatchObject({ password: "" });
  });
});

describe("the dialog of a rule", () => {
  it("names what is missing", () => {
    const draft = { ...rule.draftOf(undefined, []), minutes: "" };
    expect(rule.problemsOf(draft)).toEqual({ name: "name", channels: "channels", minutes: "minutes" });
    expect(rule.problemsOf({ ...draft, minutes: 1441 }).minutes).toBe("minutes");
  });

  it("begins with all warnings, gathered for five minutes", () => {
    const draft = rule.draftOf(undefined, ["messenger", "other"]);
    expect(rule.newOf({ ...draft, name: " all " })).toEqual({
      name: "all",
      event: "*",
      channels: ["messenger"],
      min_severity: "warning",
      cooldown_s: 300,
      group_by: "subject",
      enabled: true,
    });
  });

  it("does not send back an event that was left alone", () => {
    const draft = rule.draftOf(makeRule(), []);
    expect(rule.changeOf(draft, makeRule())).not.toHaveProperty("event");
    expect(rule.changeOf({ ...draft, event: "*" }, makeRule())).toMatchObject({ event: "*", revision: 5 });
  });

  it("offers everything, then each family with its kinds, and keeps what this release does not know", () => {
    const words = { eventWords: (event: string) => event, familyWords: (family: string) => family };
    const groups = rule.eventGroups(events, words, "old.gone").map(({ items }) => items.map(({ value }) => value));
    expect(groups).toEqual([
      ["*", "old.gone"],
      ["node.*", "node.offline"],
      ["license.*", "license.expiring"],
    ]);
  });
});

describe("the settings document", () => {
  it("keeps secrets that were left alone, and leaves the address to its variable", () => {
    const document = makeSettings();
    const fields = fieldsOf(document.settings, document);
    expect(bodyOf(fields)).toEqual({
      messenger: { chat_id: "-100200", thread_id: 0 },
      quiet_hours: { enabled: true, from: "22:00", to: "07:00", zone: "UTC" },
      language: "en",
    });
    expect(bodyOf({ ...fields, bot_token: " 1:a ", drop_proxy: true, thread_id: 7 }).messenger).toEqual({
      bot_token: "1:a",
      chat_id: "-100200",
      thread_id: 7,
      proxy: "",
    });
  });

  it("puts refusals at the fields of the form", () => {
    const paths = ["settings.messenger.bot_token", "body.settings.quiet_hours.zone", "settings.messenger_api_root"];
    const errors = paths.map((field) => ({ field, code: "invalid_value", message: "no" }));
    const problem = flattened(new Problem({ status: 422, code: "invalid_value", errors }));
    expect(isProblem(problem) && problem.fields.map(({ field }) => field)).toEqual([
      "settings.bot_token",
      "settings.zone",
      "settings.messenger_api_root",
    ]);
  });
});
