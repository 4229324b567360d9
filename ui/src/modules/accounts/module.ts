import { IconUsers } from "@tabler/icons-react";
import { defineModule } from "@/module";
import SignInPage from "./sign-in/sign-in-page";

const accounts = { en: "Accounts", ru: "Учётные записи" };
const system = { label: { en: "System", ru: "Система" } };

/** Who signs in, and what each of them may do. */
export default defineModule({
  name: "accounts",
  navigation: [
    {
      group: "system",
      order: 10,
      path: "/accounts",
      label: accounts,
      key: "KeyC",
      icon: IconUsers,
      needs: ["accounts.view"],
    },
  ],
  pages: [
    {
      path: "/login",
      title: { en: "Sign in", ru: "Вход" },
      frame: "bare",
      // Every visitor arrives here, so it comes with the shell instead of after it.
      load: () => Promise.resolve({ default: SignInPage }),
    },
    {
      path: "/new-password",
      title: { en: "New password", ru: "Новый пароль" },
      frame: "bare",
      load: () => import("./sign-in/new-password-page"),
    },
    {
      path: "/accounts",
      title: accounts,
      parents: [system],
      needs: ["accounts.view"],
      load: () => import("./directory/accounts-page"),
    },
    {
      path: "/accounts/new",
      title: { en: "New account", ru: "Новая учётная запись" },
      parents: [{ label: accounts, path: "/accounts" }],
      needs: ["accounts.manage"],
      load: () => import("./directory/new-account-page"),
    },
    {
      path: "/accounts/$id",
      title: { en: "Account", ru: "Учётная запись" },
      parents: [{ label: accounts, path: "/accounts" }],
      needs: ["accounts.view"],
      load: () => import("./directory/account-page"),
    },
  ],
  search: {
    needs: ["accounts.view"],
    find: (text, signal) => import("./directory/find-accounts").then(({ findAccounts }) => findAccounts(text, signal)),
  },
  refresh: (event) => (event.kind.startsWith("account.") ? [["accounts"]] : []),
});
