import { answer, api } from "@/api/client";
import { saveCsv, type CsvField } from "@/components/table/csv";
import { everyPage } from "@/components/table/every-page";
import { isFull } from "../permissions/permissions";
import type { Account } from "./api";

export const accountsCsvFields: CsvField<Account>[] = [
  ["username", (account) => account.username],
  ["state", (account) => account.state],
  ["permissions", (account) => (isFull(account.permissions) ? "*" : account.permissions.join(" "))],
  ["authenticator_app", (account) => (account.totp_enabled ? "yes" : "no")],
  ["passkeys", (account) => account.passkeys],
  ["last_sign_in_at", (account) => account.last_login_at ?? ""],
  ["last_sign_in_from", (account) => account.last_login_ip],
  ["created_at", (account) => account.created_at],
  ["id", (account) => account.id],
];

/** All accounts that fit, not only those that were loaded. */
export async function saveAccountsCsv(q: string | undefined): Promise<void> {
  const accounts = await everyPage((cursor) =>
    answer(
      api.GET("/api/v1/accounts", {
        params: { query: { limit: 200, ...(q && { q }), ...(cursor && { cursor }) } },
      }),
    ),
  );
  saveCsv("accounts.csv", accountsCsvFields, accounts);
}
