import { defineModule } from "@/module";

const own = { label: { en: "My security", ru: "Моя безопасность" }, path: "/account/security" };

/** What protects one's own account: password, second factors, sessions, API tokens. Everybody has these pages. */
export default defineModule({
  name: "security",
  pages: [
    { path: "/account/security", title: own.label, load: () => import("./factors-page") },
    {
      path: "/account/password",
      title: { en: "Change password", ru: "Смена пароля" },
      parents: [own],
      load: () => import("./password-page"),
    },
    {
      path: "/account/sessions",
      title: { en: "My sessions", ru: "Мои сеансы" },
      parents: [own],
      load: () => import("./sessions-page"),
    },
    {
      path: "/account/tokens",
      title: { en: "My API tokens", ru: "Мои API-токены" },
      parents: [own],
      load: () => import("./tokens/tokens-page"),
    },
  ],
  refresh: (event) => (event.kind.startsWith("account.") ? [["security"]] : []),
});
