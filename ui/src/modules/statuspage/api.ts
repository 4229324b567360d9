import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { listQuery } from "@/components/table/list-query";

type Schemas = components["schemas"];

export type Page = Schemas["StatuspagePage"];
export type Group = Schemas["StatuspageGroup"];
export type Component = Schemas["StatuspageComponent"];
export type Announcement = Schemas["StatuspageAnnouncement"];
export type Auto = Schemas["StatuspageAuto"];
export type NewPage = Schemas["StatuspageNewPage"];
export type PageChange = Schemas["StatuspagePageChange"];
export type Source = Schemas["StatuspageSource"];
export type Bar = Schemas["StatuspageBar"];
export type Notice = Schemas["StatuspageNotice"];
export type NoticeState = Notice["state"];
export type Impact = Notice["impact"];
export type NewNotice = Schemas["StatuspageNewNotice"];
export type NewUpdate = Schemas["StatuspageNewUpdate"];
export type Maintenance = Schemas["StatuspageMaintenance"];
export type NewMaintenance = Schemas["StatuspageNewMaintenance"];
export type Deploy = Schemas["StatuspageDeploy"];
export type DeployState = Deploy["state"];
export type DeployPreview = Schemas["StatuspageDeployPreview"];
export type Tested = Schemas["StatuspageTested"];
export type NewTarget = Schemas["StatuspageNewTarget"];
export type TargetChange = Schemas["StatuspageTargetChange"];

/** The description cannot say that a reference may be null; the panel sends null before the first deploy. */
export type Target = Omit<Schemas["StatuspageTarget"], "last_deploy" | "config"> & {
  last_deploy: Deploy | null;
  config: Record<string, unknown>;
};

export type Locale = "en" | "ru";
export const locales: readonly Locale[] = ["en", "ru"];

/** A text by language, as the panel keeps it. */
export type Localised = Record<string, string>;

/** What a person edits of a page, saved together. */
export interface PageDraft {
  slug: string;
  titles: Localised;
  descriptions: Localised;
  footers: Localised;
  locales: string[];
  default_locale: Locale;
  mode: Page["theme"]["mode"];
  accent: string;
  auto: Auto;
  groups: Group[];
  components: Component[];
  announcements: Announcement[];
}

export const pagesQuery = queryOptions({
  queryKey: ["statuspage", "pages"],
  queryFn: async ({ signal }): Promise<Page[]> => (await answer(api.GET("/api/v1/statuspage/pages", { signal }))).items,
});

export const overviewQuery = queryOptions({
  queryKey: ["statuspage", "overview"],
  queryFn: ({ signal }) => answer(api.GET("/api/v1/statuspage", { signal })),
});

export const barsQuery = (id: string) =>
  queryOptions({
    queryKey: ["statuspage", "bars", id],
    queryFn: async ({ signal }): Promise<Bar[]> =>
      (
        await answer(
          api.GET("/api/v1/statuspage/pages/{id}/bars", { params: { path: { id }, query: { days: 90 } }, signal }),
        )
      ).items,
    staleTime: 60_000,
  });

/** The page as it would be published now. Its address names what it shows, so that it is read again after a change. */
export const previewQuery = (id: string, revision: number, locale: Locale, theme: "light" | "dark") =>
  queryOptions({
    queryKey: ["statuspage", "preview", id, revision, locale, theme],
    queryFn: ({ signal }): Promise<string> => {
      // A document is described without parameters.
      const params = { path: { id }, query: { locale, theme } } as never;
      return answer(api.GET("/api/v1/statuspage/pages/{id}/preview", { params, parseAs: "text", signal }) as never);
    },
    placeholderData: keepPreviousData,
  });

/** The same with what is typed and not saved yet. Nothing of it is stored. */
export const unsavedQuery = (id: string, parts: PageParts, locale: Locale, mode: "light" | "dark") =>
  queryOptions({
    queryKey: ["statuspage", "preview", id, parts, locale, mode],
    queryFn: async ({ signal }): Promise<string> => {
      const { change, parts: lists, announcements } = parts;
      const body = { ...change, ...lists, ...(announcements && { announcements }), locale, mode };
      const params = { path: { id } };
      return (await answer(api.POST("/api/v1/statuspage/pages/{id}/preview", { params, body, signal }))).html;
    },
    placeholderData: keepPreviousData,
    gcTime: 0,
  });

/** What components can be made of, by name. */
export const sourcesQuery = (kind: Source["source"], q: string) =>
  queryOptions({
    queryKey: ["statuspage", "sources", kind, q],
    queryFn: async ({ signal }): Promise<Source[]> =>
      (
        await answer(
          api.GET("/api/v1/statuspage/sources", { params: { query: { kind, ...(q !== "" && { q }) } }, signal }),
        )
      ).items,
    placeholderData: keepPreviousData,
  });

export type NoticeView = "open" | "resolved" | "all";

export const noticesQuery = (pageId: string, state: NoticeView) =>
  listQuery<Notice>(["statuspage", "notices", pageId, state], (page, signal) =>
    answer(api.GET("/api/v1/statuspage/incidents", { params: { query: { ...page, page_id: pageId, state } }, signal })),
  );

export const noticeQuery = (id: string) =>
  queryOptions({
    queryKey: ["statuspage", "notice", id],
    queryFn: ({ signal }): Promise<Notice> =>
      answer(api.GET("/api/v1/statuspage/incidents/{id}", { params: { path: { id } }, signal })),
  });

export type WorkView = "upcoming" | "past";

export const maintenanceQuery = (pageId: string, when: WorkView) =>
  listQuery<Maintenance>(["statuspage", "maintenance", pageId, when], (page, signal) =>
    answer(
      api.GET("/api/v1/statuspage/maintenance", { params: { query: { ...page, page_id: pageId, when } }, signal }),
    ),
  );

export const targetsQuery = (pageId: string) =>
  queryOptions({
    queryKey: ["statuspage", "targets", pageId],
    queryFn: async ({ signal }): Promise<Target[]> =>
      (await answer(api.GET("/api/v1/statuspage/pages/{id}/targets", { params: { path: { id: pageId } }, signal })))
        .items as Target[],
    refetchInterval: 30_000,
  });

const underWay: DeployState[] = ["queued", "building", "uploading", "verifying"];

export const isUnderWay = ({ state }: Pick<Deploy, "state">) => underWay.includes(state);

/** How often a deploy that goes on is asked for. */
const progressEvery = 2_000;

export const deploysQuery = (pageId: string) =>
  listQuery<Deploy>(
    ["statuspage", "deploys", pageId],
    (page, signal) =>
      answer(
        api.GET("/api/v1/statuspage/pages/{id}/deploys", { params: { path: { id: pageId }, query: page }, signal }),
      ),
    30_000,
  );

export const deployQuery = (id: string) =>
  queryOptions({
    queryKey: ["statuspage", "deploy", id],
    queryFn: ({ signal }): Promise<Deploy> =>
      answer(api.GET("/api/v1/statuspage/deploys/{id}", { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) => (data === undefined || isUnderWay(data) ? progressEvery : false),
  });

export const deployPreviewQuery = (pageId: string) =>
  queryOptions({
    queryKey: ["statuspage", "deploy-preview", pageId],
    queryFn: ({ signal }): Promise<DeployPreview> =>
      answer(api.GET("/api/v1/statuspage/pages/{id}/deploy-preview", { params: { path: { id: pageId } }, signal })),
    gcTime: 0,
    staleTime: 0,
  });

/** After an act, also one that was refused, everything about the status page is read again. */
function useAct<Variables, Result>(act: (variables: Variables) => Promise<Result>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSettled: () => queries.invalidateQueries({ queryKey: ["statuspage"] }),
  });
}

export function useAddPage() {
  return useAct((body: NewPage) => answer(api.POST("/api/v1/statuspage/pages", { body })));
}

export function useRemovePage() {
  return useAct((id: string) => answer(api.DELETE("/api/v1/statuspage/pages/{id}", { params: { path: { id } } })));
}

export interface PageParts {
  change?: Omit<PageChange, "revision">;
  parts?: Pick<PageDraft, "groups" | "components">;
  announcements?: Announcement[];
}

/** Saves what was changed of a page, each part from the revision that the one before it made. */
export function useSavePage() {
  return useAct(async ({ page, change, parts, announcements }: PageParts & { page: Page }): Promise<Page> => {
    const path = { id: page.id };
    let now = page;
    if (change)
      now = await answer(
        api.PATCH("/api/v1/statuspage/pages/{id}", {
          params: { path },
          body: { ...change, revision: now.revision },
        }),
      );
    if (parts)
      now = await answer(
        api.PUT("/api/v1/statuspage/pages/{id}/components", {
          params: { path },
          body: { ...parts, revision: now.revision },
        }),
      );
    if (announcements)
      now = await answer(
        api.PUT("/api/v1/statuspage/pages/{id}/announcements", {
          params: { path },
          body: { announcements, revision: now.revision },
        }),
      );
    return now;
  });
}

/** Puts a logo on a page, or takes it away. */
export function useLogo() {
  return useAct(({ id, file }: { id: string; file: File | undefined }) => {
    const params = { path: { id } };
    if (file === undefined) return answer(api.DELETE("/api/v1/statuspage/pages/{id}/logo", { params }));
    return answer(
      api.PUT("/api/v1/statuspage/pages/{id}/logo", {
        params,
        body: file as never,
        bodySerializer: (body: unknown) => body as File,
        headers: { "Content-Type": file.type },
      }),
    );
  });
}

export function useAddNotice() {
  return useAct((body: NewNotice) => answer(api.POST("/api/v1/statuspage/incidents", { body })));
}

export function useChangeNotice() {
  return useAct(({ id, ...body }: Schemas["StatuspageNoticeChange"] & { id: string }) =>
    answer(api.PATCH("/api/v1/statuspage/incidents/{id}", { params: { path: { id } }, body })),
  );
}

export function useRemoveNotice() {
  return useAct((id: string) => answer(api.DELETE("/api/v1/statuspage/incidents/{id}", { params: { path: { id } } })));
}

export function usePublishNotice() {
  return useAct((id: string) =>
    answer(api.POST("/api/v1/statuspage/incidents/{id}/publish", { params: { path: { id } } })),
  );
}

export function useAddUpdate() {
  return useAct(({ id, ...body }: NewUpdate & { id: string }) =>
    answer(api.POST("/api/v1/statuspage/incidents/{id}/updates", { params: { path: { id } }, body })),
  );
}

export function useAddMaintenance() {
  return useAct((body: NewMaintenance) => answer(api.POST("/api/v1/statuspage/maintenance", { body })));
}

export function useChangeMaintenance() {
  return useAct(({ id, ...body }: Schemas["StatuspageMaintenanceChange"] & { id: string }) =>
    answer(api.PATCH("/api/v1/statuspage/maintenance/{id}", { params: { path: { id } }, body })),
  );
}

export function useRemoveMaintenance() {
  return useAct((id: string) =>
    answer(api.DELETE("/api/v1/statuspage/maintenance/{id}", { params: { path: { id } } })),
  );
}

export function useEndMaintenance() {
  return useAct((id: string) =>
    answer(api.POST("/api/v1/statuspage/maintenance/{id}/end", { params: { path: { id } } })),
  );
}

export function useAddTarget() {
  return useAct(({ pageId, ...body }: NewTarget & { pageId: string }) =>
    answer(api.POST("/api/v1/statuspage/pages/{id}/targets", { params: { path: { id: pageId } }, body })),
  );
}

export function useChangeTarget() {
  return useAct(({ id, ...body }: TargetChange & { id: string }) =>
    answer(api.PATCH("/api/v1/statuspage/targets/{id}", { params: { path: { id } }, body })),
  );
}

export function useRemoveTarget() {
  return useAct((id: string) => answer(api.DELETE("/api/v1/statuspage/targets/{id}", { params: { path: { id } } })));
}

export function useTestTarget() {
  return useAct((id: string): Promise<Tested> =>
    answer(api.POST("/api/v1/statuspage/targets/{id}/test", { params: { path: { id } } })),
  );
}

export function useDeploy() {
  return useAct(({ pageId, ...body }: Schemas["StatuspageNewDeploy"] & { pageId: string }) =>
    answer(api.POST("/api/v1/statuspage/pages/{id}/deploy", { params: { path: { id: pageId } }, body })),
  );
}
