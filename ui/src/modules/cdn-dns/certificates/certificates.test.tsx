import { screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render-app";
import { certificateId, inDays, makeBinding, makeBudget, makeCertificate, pageOf, serve } from "../testing";
import CertificatesPage from "./certificates-page";

const uploadedId = "01890000-0000-7000-8000-0000000000d2";

const base = () => ({
  "GET /certificates": pageOf(makeCertificate()),
  "GET /certificates/budgets": { body: { items: [makeBudget()] } },
  [`GET /certificates/${certificateId}`]: { body: makeCertificate() },
  "GET /node-domains": pageOf(makeBinding()),
});

async function page(more: Parameters<typeof serve>[0] = {}, { permissions = ["*"], path = "/" } = {}) {
  const panel = serve({ ...base(), ...more }, permissions);
  const drawn = await renderApp(<CertificatesPage />, { queries: panel.queries, path });
  return { ...panel, ...drawn };
}

describe("the inventory of certificates", () => {
  it("shows names, state, days that are left, authority and renewal", async () => {
    await page({
      "GET /certificates": pageOf(
        makeCertificate(),
        makeCertificate({ id: uploadedId, names: ["own.example.net"], source: "upload", issuer: "Own CA" }, 10.5),
      ),
    });
    const [, first, second] = await screen.findAllByRole("row");
    expect(first).toHaveTextContent("*.example.comand 1 more");
    expect(first).toHaveTextContent("Valid60 days left");
    expect(first).toHaveTextContent("Ordered");
    expect(second).toHaveTextContent("Expires soon10 days left");
    expect(second).toHaveTextContent("Own CA");
    expect(second).toHaveTextContent("by you");
    expect(within(second!).getByText("10 days left")).toHaveAttribute("data-end", "soon");
    expect(within(first!).getByText("60 days left")).toHaveAttribute("data-end", "far");
  });

  it("colours a short lifetime by its sixth, not by 14 days", async () => {
    const short = (id: string, left: number) =>
      makeCertificate({ id, not_before: inDays(left - 6), not_after: inDays(left) });
    await page({ "GET /certificates": pageOf(short(certificateId, 1.5), short(uploadedId, 0.9)) });
    const [, first, second] = await screen.findAllByRole("row");
    expect(first).toHaveTextContent("Valid1 day left");
    expect(second).toHaveTextContent("Expires soonless than a day left");
  });

  it("tells a renewal that failed from a certificate that was never issued", async () => {
    const failed = { state: "failed" as const, last_error: "rateLimited: too many" };
    await page({
      "GET /certificates": pageOf(
        makeCertificate(failed, 25.5),
        makeCertificate({ ...failed, id: uploadedId, not_before: null, not_after: null, renew_at: null }),
      ),
    });
    const [, first, second] = await screen.findAllByRole("row");
    expect(first).toHaveTextContent("Not renewed25 days left");
    expect(second).toHaveTextContent("Not issued");
  });

  it("says what to do where there is none", async () => {
    await page({ "GET /certificates": pageOf(), "GET /certificates/budgets": { body: { items: [] } } });
    expect(await screen.findByText("No certificate yet")).toBeInTheDocument();
    expect(await screen.findByText("No new certificate was ordered in the last 168 hours.")).toBeInTheDocument();
  });

  it("shows what the authority still issues for a domain", async () => {
    const items = [
      makeBudget(),
      makeBudget({ domain: "example.net", issued: 50, directory: "https://ca.example/dir" }),
    ];
    await page({ "GET /certificates/budgets": { body: { items } } });
    const [first, second] = within(await screen.findByRole("list", { name: "Weekly budget" })).getAllByRole("listitem");
    expect(first).toHaveTextContent("example.comLet's Encrypt3 of 50");
    expect(second).toHaveTextContent("example.netca.example50 of 50 spent");
  });

  it("is closed for changes, with the reason, to whoever may only read", async () => {
    await page({}, { permissions: ["dns.view"] });
    expect((await screen.findAllByText("Needs the permission dns.manage")).length).toBeGreaterThan(0);
    expect(screen.queryByRole("link", { name: "Host names" })).not.toBeInTheDocument();
  });
});

describe("one certificate", () => {
  it("opens with its facts and the host names that show it", async () => {
    await page({
      "GET /node-domains": pageOf(
        makeBinding({ certificate: { ...makeBinding().certificate, not_after: null } }),
        makeBinding({ id: uploadedId, hostname: "a.b.example.com" }),
      ),
    });
    await userEvent.click(await screen.findByRole("button", { name: "*.example.com" }));
    const drawer = within(await screen.findByRole("dialog", { name: "Certificate" }));
    expect(await drawer.findByText("*.example.com, example.com")).toBeInTheDocument();
    expect(drawer.getByText("DNS-01")).toBeInTheDocument();
    const shown = within(await drawer.findByRole("region", { name: "Host names" }));
    expect(await shown.findByRole("link", { name: "fra-02.example.com" })).toBeInTheDocument();
    expect(shown.getByText("has another certificate, valid for longer")).toBeInTheDocument();
    expect(shown.queryByText("a.b.example.com")).not.toBeInTheDocument();
  });

  it("says in how many flows it is shown", async () => {
    const certificate = makeCertificate();
    const { issuer, not_after, challenge } = certificate;
    const binding = makeBinding({ certificate: { state: "valid", issuer, not_after, challenge, last_error: "" } });
    await page(
      {
        [`GET /certificates/${certificateId}`]: { body: certificate },
        "GET /node-domains": pageOf(binding),
      },
      { path: `/?open=${certificateId}` },
    );
    expect(await screen.findByText("in 1 flow")).toBeInTheDocument();
  });

  it("tells why the last order failed and when the next one comes", async () => {
    const failed = makeCertificate({ state: "failed", last_error: "dns: no such zone", retry_at: inDays(0.1) });
    await page({ [`GET /certificates/${certificateId}`]: { body: failed } }, { path: `/?open=${certificateId}` });
    expect(await screen.findByText("dns: no such zone")).toBeInTheDocument();
    expect(screen.getByText(/The certificate that is there stays in use/)).toHaveTextContent("in 2 h");
  });

  it("is renewed now, or the refusal is said in words", async () => {
    const { written } = await page({
      [`POST /certificates/${certificateId}/renew`]: [
        { status: 202, body: makeCertificate() },
        { status: 409, body: { status: 409, code: "certificate_held" } },
      ],
    });
    await userEvent.click(await screen.findByRole("button", { name: "Actions for *.example.com" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Renew now" }));
    await expect.poll(() => written()).toHaveLength(1);
  });

  it("is removed once its name was typed, and kept in words while a flow shows it", async () => {
    const { written } = await page({
      [`DELETE /certificates/${certificateId}`]: [
        { status: 409, body: { status: 409, code: "certificate_in_use" } },
        { status: 204 },
      ],
    });
    await userEvent.click(await screen.findByRole("button", { name: "Actions for *.example.com" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Remove certificate" }));
    const dialog = within(await screen.findByRole("dialog"));
    const remove = () => dialog.getByRole("button", { name: "Remove certificate" });
    expect(remove()).toHaveAttribute("aria-disabled", "true");
    await userEvent.type(dialog.getByRole("textbox"), "*.example.com");
    await userEvent.click(remove());
    expect(await dialog.findByText(/^A flow shows this certificate/)).toBeInTheDocument();
    await userEvent.click(remove());
    await expect.poll(() => screen.queryByRole("dialog")).toBeNull();
    expect(written()).toHaveLength(2);
  });
});

describe("an upload", () => {
  const chain = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
  const key = "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n";

  async function dialogOf(more: Parameters<typeof serve>[0]) {
    const panel = await page(more);
    await userEvent.click(await screen.findByRole("button", { name: "Upload certificate" }));
    return { ...panel, dialog: within(await screen.findByRole("dialog")) };
  }

  it("sends both parts, typed or from a file, after it looked at them", async () => {
    const { dialog, written } = await dialogOf({ "POST /certificates": { status: 201, body: makeCertificate() } });
    const send = dialog.getByRole("button", { name: "Upload certificate" });
    await userEvent.click(send);
    expect(dialog.getAllByText("Paste it here, or choose a file")).toHaveLength(2);
    expect(dialog.getByLabelText("Certificate chain")).toHaveFocus();
    await userEvent.click(dialog.getByLabelText("Certificate chain"));
    await userEvent.paste(chain);
    const [, file] = document.querySelectorAll<HTMLInputElement>("input[type=file]");
    await userEvent.upload(file!, new File([key], "privkey.pem"), { applyAccept: false });
    await expect.poll(() => dialog.getByLabelText<HTMLTextAreaElement>("Private key").value).toBe(key);
    await userEvent.click(send);
    await expect.poll(() => written()).toHaveLength(1);
    expect(written()[0]!.body).toEqual({ chain, key });
  });

  it("is refused at the field, in the words of the page", async () => {
    const message = "the certificate and the key do not belong together, or cannot be read";
    const errors = [{ field: "key", code: "invalid_value", message }];
    const { dialog } = await dialogOf({
      "POST /certificates": { status: 422, body: { status: 422, code: "invalid_value", errors } },
    });
    await userEvent.click(dialog.getByLabelText("Certificate chain"));
    await userEvent.paste(chain);
    await userEvent.click(dialog.getByLabelText("Private key"));
    await userEvent.paste(key);
    await userEvent.click(dialog.getByRole("button", { name: "Upload certificate" }));
    expect(await dialog.findByText(/^The certificate and the key do not belong together/)).toBeInTheDocument();
  });
});
