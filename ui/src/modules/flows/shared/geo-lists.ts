import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer, api } from "@/api/client";

export type GeoFile = "geosite" | "geoip";

const most = 20;

/** A category is written with "!" where everything but it is meant. */
const bare = (token: string) => token.replace(/^!/, "");
const mark = (token: string) => (token.startsWith("!") ? "!" : "");

/** Categories of the installed files that begin with or hold what was typed. */
export const completionsQuery = (file: GeoFile, typed: string) =>
  queryOptions({
    queryKey: ["geo", "complete", file, bare(typed)],
    queryFn: async ({ signal }) => {
      const query = { file, q: bare(typed), limit: most };
      return (await answer(api.GET("/api/v1/geo-assets/complete", { params: { query }, signal }))).items;
    },
    placeholderData: keepPreviousData,
    retry: false,
  });

/** What is offered for what was typed, without what is chosen already. */
export function offered(typed: string, found: readonly { token: string }[], chosen: readonly string[]): string[] {
  return found.map(({ token }) => mark(typed) + token).filter((token) => !chosen.includes(token));
}

/** A category that the installed files do not have, with what may have been meant. */
export interface Missing {
  token: string;
  noFile: boolean;
  suggestions: string[];
}

/** Which of the categories no installed file has. Whoever may not ask learns it when the flow is compiled. */
export const missingQuery = (file: GeoFile, tokens: readonly string[]) =>
  queryOptions({
    queryKey: ["geo", "missing", file, tokens],
    queryFn: async ({ signal }): Promise<Missing[]> => {
      const body = { tokens: tokens.map((token) => written(file, token)) };
      const { items } = await answer(api.POST("/api/v1/geo-assets/validate", { body, signal }));
      return items.flatMap((item, at) =>
        item.ok
          ? []
          : [
              {
                token: tokens[at]!,
                noFile: item.code === "geo_file_missing",
                suggestions: item.suggestions.map(short),
              },
            ],
      );
    },
    enabled: tokens.length > 0,
    placeholderData: keepPreviousData,
    retry: false,
  });

/** A token as the panel checks it: a category of a named file names it, others are of the file of their list. */
const written = (file: GeoFile, token: string) => (token.includes(":") ? token : `${file}:${token}`);

const short = (token: string) => token.replace(/^(geosite|geoip):/, "");
