import { defineModule } from "@/module";

/** Who signs in: sign-in, own password, own sessions. */
export default defineModule({
  name: "accounts",
  pages: [
    { path: "/login", title: { en: "Sign in", ru: "Вход" }, frame: "bare", load: () => import("./sign-in-page") },
    { path: "/account/password", title: { en: "Change password", ru: "Смена пароля" }, load: () => import("./password-page") },
    { path: "/account/sessions", title: { en: "My sessions", ru: "Мои сеансы" }, load: () => import("./sessions-page") },
  ],
  refresh: (event) => (event.kind.startsWith("account.") ? [["accounts"]] : []),
});
