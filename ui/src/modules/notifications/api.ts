import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { components } from "@/api/schema.gen";
import { everyPage } from "@/components/table/every-page";

type Schemas = components["schemas"];

export type Channel = Schemas["NotificationsChannel"];
export type NewChannel = Schemas["NotificationsNewChannel"];
export type ChannelChange = Schemas["NotificationsChannelChange"];
export type Rule = Schemas["NotificationsRule"];
export type NewRule = Schemas["NotificationsNewRule"];
export type RuleChange = Schemas["NotificationsRuleChange"];
export type EventKind = Schemas["NotificationsEventKind"];
export type Delivery = Schemas["NotificationsDelivery"];
export type LastDelivery = Pick<Delivery, "state" | "created_at" | "finished_at">;
export type DeliveryState = Delivery["state"];
export type Severity = Delivery["severity"];

/** What rules and deliveries call the messenger, which is no row among the channels. */
export const messenger = "messenger";

const most = 200;
const soon = 1_000;

export const onItsWay = (state: DeliveryState) => state === "queued" || state === "sending";

/** A list is read again for as long as it shows a delivery that has not come to its end. */
const untilDelivered = (states: (DeliveryState | undefined)[]) =>
  states.some((state) => state !== undefined && onItsWay(state)) ? 3 * soon : false;

export const channelsQuery = queryOptions({
  queryKey: ["notifications", "channels"],
  queryFn: ({ signal }): Promise<Channel[]> =>
    everyPage((cursor) => {
      const query = { limit: most, ...(cursor && { cursor }) };
      return answer(api.GET("/api/v1/notifications/channels", { params: { query }, signal }));
    }),
  refetchInterval: ({ state: { data } }) => untilDelivered((data ?? []).map((one) => one.last_delivery?.state)),
});

export const rulesQuery = queryOptions({
  queryKey: ["notifications", "rules"],
  queryFn: ({ signal }): Promise<Rule[]> =>
    everyPage((cursor) => {
      const query = { limit: most, ...(cursor && { cursor }) };
      return answer(api.GET("/api/v1/notifications/rules", { params: { query }, signal }));
    }),
});

/** What a rule can name; it changes only with the release. */
export const eventsQuery = queryOptions({
  queryKey: ["notifications", "events"],
  queryFn: async ({ signal }): Promise<EventKind[]> =>
    (await answer(api.GET("/api/v1/notifications/events", { signal }))).items,
  staleTime: 300_000,
});

export interface DeliveryFilter {
  channel?: string | undefined;
  state?: DeliveryState | undefined;
  kind?: string | undefined;
}

export const deliveriesQuery = ({ channel, state, kind }: DeliveryFilter) =>
  infiniteQueryOptions({
    queryKey: ["notifications", "deliveries", "list", { channel, state, kind }],
    queryFn: ({ pageParam, signal }): Promise<Schemas["NotificationsDeliveryPage"]> => {
      const query = {
        limit: 50,
        ...(channel && { channel }),
        ...(state && { state }),
        ...(kind && { kind }),
        ...(pageParam && { cursor: pageParam }),
      };
      return answer(api.GET("/api/v1/notifications/deliveries", { params: { query }, signal }));
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });

/** The newest delivery of one channel; null where there was none. */
export const lastDeliveryQuery = (channel: string) =>
  queryOptions({
    queryKey: ["notifications", "deliveries", "last", channel],
    queryFn: async ({ signal }): Promise<Delivery | null> => {
      const query = { channel, limit: 1 };
      const page = await answer(api.GET("/api/v1/notifications/deliveries", { params: { query }, signal }));
      return page.items[0] ?? null;
    },
    refetchInterval: ({ state: { data } }) => untilDelivered([data?.state]),
  });

/** One delivery, asked for again until it has come to its end. */
export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ["notifications", "deliveries", "one", id],
    queryFn: ({ signal }): Promise<Delivery> =>
      answer(api.GET("/api/v1/notifications/deliveries/{id}", { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) => (data && !onItsWay(data.state) ? false : soon),
  });

/** After an act all lists of the module are read again. */
function useAct<Variables, Result>(act: (variables: Variables) => Promise<Result>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    gcTime: 0,
    onSettled: () => queries.invalidateQueries({ queryKey: ["notifications"] }),
  });
}

export function useAddChannel() {
  return useAct((body: NewChannel): Promise<Channel> => answer(api.POST("/api/v1/notifications/channels", { body })));
}

export function useChangeChannel() {
  return useAct(({ id, ...body }: ChannelChange & { id: string }): Promise<Channel> =>
    answer(api.PATCH("/api/v1/notifications/channels/{id}", { params: { path: { id } }, body })),
  );
}

export function useRemoveChannel() {
  return useAct((id: string) =>
    answer(api.DELETE("/api/v1/notifications/channels/{id}", { params: { path: { id } } })),
  );
}

export function useTestChannel() {
  return useAct((id: string): Promise<Delivery> =>
    answer(api.POST("/api/v1/notifications/channels/{id}/test", { params: { path: { id } } })),
  );
}

export function useTestMessenger() {
  return useAct<void, Schemas["NotificationsMessengerTest"]>(() =>
    answer(api.POST("/api/v1/notifications/messenger/test", {})),
  );
}

export function useAddRule() {
  return useAct((body: NewRule): Promise<Rule> => answer(api.POST("/api/v1/notifications/rules", { body })));
}

export function useChangeRule() {
  return useAct(({ id, ...body }: RuleChange & { id: string }): Promise<Rule> =>
    answer(api.PATCH("/api/v1/notifications/rules/{id}", { params: { path: { id } }, body })),
  );
}

export function useRemoveRule() {
  return useAct((id: string) => answer(api.DELETE("/api/v1/notifications/rules/{id}", { params: { path: { id } } })));
}
