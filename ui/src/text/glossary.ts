/**
 * What one thing is called on every screen and in every command, in both languages, and the words that were taken back
 * because nobody says them, they mean two things, or another word stands for the same thing. A test looks for the
 * latter.
 */
export interface Term {
  en: string;
  ru: string;
  not?: { en?: RegExp; ru?: RegExp };
}

export const glossary: Term[] = [
  { en: "node", ru: "нода", not: { ru: /(?<![а-яё])узл(а|ы|е|ов|ом)(?![а-яё])/i } },
  { en: "flow", ru: "поток", not: { ru: /флоу/i } },
  { en: "rule", ru: "правило", not: { en: /\b(this|\{\{count\}\}) (way|edge|route)s?\b/i } },
  { en: "entry", ru: "вход" },
  { en: "hop", ru: "транзит", not: { en: /^transit$/i } },
  { en: "inbound", ru: "inbound", not: { ru: /входящ(ее|ий) подключени/i } },
  { en: "XTLS flow", ru: "XTLS flow", not: { en: /flow control/i } },
  { en: "plan", ru: "план", not: { ru: /(с|пере)компилиру(й|ет)/i } },
  {
    en: "Subscription URL",
    ru: "URL подписки",
    not: { en: /subscription address|address(es)? of (a |the )?subscription/i, ru: /адрес\S* подпис/i },
  },
  { en: "API token", ru: "API-токен", not: { ru: /токен\S* API(?![\w-])/i } },
  {
    en: "Create, Generate",
    ru: "Создать, Сгенерировать",
    not: { en: /\bmake (one|an?|the|new|\{\{count\}\})\b/i, ru: /придумать/i },
  },
  { en: "Stop serving", ru: "Остановить работу", not: { en: /take off the nodes/i } },
  { en: "Config issues", ru: "Проблемы конфигурации", not: { en: /config needs work/i } },
  { en: "Health issues", ru: "Проблемы со здоровьем", not: { en: /health needs work/i, ru: /здоровье требует/i } },
  { en: "Healthy", ru: "В порядке", not: { ru: /^здоров(а|о|ы)?$/i } },
  { en: "In sync", ru: "Синхронно" },
  { en: "Differs", ru: "Отличается", not: { en: /the wanted (one|configuration)/i, ru: /^расходится$/i } },
  { en: "reload", ru: "перечитывание", not: { ru: /перезагрузка (ядра|ноды|конфигурации)/i } },
  { en: "not signed in", ru: "без авторизации", not: { ru: /без входа$/i } },
  { en: "current password", ru: "текущий пароль", not: { en: /present password/i, ru: /нынешн\S+ пароль/i } },
  { en: "no access", ru: "нет доступа", not: { en: /may not see this page/i, ru: /вам закрыта/i } },
  { en: "Warnings", ru: "Предупреждения", not: { en: /worth a look/i } },
  { en: "rolls back", ru: "откатывается", not: { en: /to (its build|the one) before/i } },
  { en: "Save version", ru: "Сохранить версию", not: { en: /keep a version/i } },
  { en: "current draft", ru: "текущий черновик", not: { en: /being drawn now/i } },
  { en: "Manual updates", ru: "Вручную", not: { en: /^by hand$/i } },
  { en: "then the rest", ru: "затем остальные", not: { en: /at last the rest/i } },
  { en: "Authenticator app", ru: "Приложение-аутентификатор", not: { ru: /приложени\S+ с кодами/i } },
  { en: "Custom", ru: "Пользовательский", not: { ru: /^свой$/i } },
  { en: "JSON", ru: "JSON", not: { ru: /^как есть$/i } },
  { en: "Export", ru: "Экспорт", not: { ru: /^выгрузить$/i } },
  { en: "Nodes by region", ru: "Ноды по регионам", not: { ru: /^парк$/i } },
  { en: "build to roll out", ru: "сборка для раскатки", not: { ru: /раскатывать нечего/i } },
  { en: "journal", ru: "журнал", not: { en: /\baudit log\b/i } },
];
