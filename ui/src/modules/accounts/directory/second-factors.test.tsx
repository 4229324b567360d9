import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { makeMe } from "@/testing/fixtures";
import { renderApp } from "@/testing/render-app";
import { SecondFactors } from "./second-factors";

const anna = makeMe([]).account;

describe("second factors of an account", () => {
  it("names the app and counts the passkeys", async () => {
    await renderApp(<SecondFactors account={{ ...anna, totp_enabled: true, passkeys: 2 }} />);
    expect(await screen.findByText("app, 2 passkeys")).toBeInTheDocument();
  });

  it("shows a passkey where there is no app", async () => {
    await renderApp(<SecondFactors account={{ ...anna, passkeys: 1 }} />);
    expect(await screen.findByText("1 passkey")).toBeInTheDocument();
  });

  it("says that there is none", async () => {
    await renderApp(<SecondFactors account={anna} />);
    expect(await screen.findByText("none")).toBeInTheDocument();
  });
});
