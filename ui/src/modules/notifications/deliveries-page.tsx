import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { useSearchState } from "@/components/screen/use-search";
import type { ViewState } from "@/components/state/states";
import { FilterButton, FilterChips, type FilterField } from "@/components/table/filter-chips";
import { deliveriesQuery, eventsQuery, type Delivery, type DeliveryFilter } from "./api";
import { DeliveriesView } from "./deliveries-view";
import { NotificationsHeader } from "./header";
import classes from "./notifications.module.css";
import { states, useChannelNames, useEventWords } from "./words";

const text = z.coerce.string().max(64).optional().catch(undefined);

/** What the address of the deliveries says. */
export const deliverySearch = z.object({
  channel: text,
  kind: text,
  state: z
    .enum(["queued", "sending", "sent", "failed", "folded", "superseded", "cancelled"])
    .optional()
    .catch(undefined),
});

const nothing: DeliveryFilter = { channel: undefined, kind: undefined, state: undefined };

export default function DeliveriesPage() {
  const [filter, setFilter] = useSearchState(deliverySearch);
  const list = useInfiniteQuery(deliveriesQuery(filter));
  const events = useQuery(eventsQuery).data ?? [];
  const { eventWords } = useEventWords(events);
  const fields = useFilterFields(filter, setFilter, [...events.map(({ kind }) => kind), "notification.test"]);
  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.items), [list.data]);
  const state: ViewState<Delivery[]> = rows
    ? { kind: "ready", data: rows }
    : list.error
      ? { kind: "error", error: list.error, retry: () => void list.refetch() }
      : { kind: "loading" };
  const clear = () => setFilter(nothing);
  return (
    <>
      <NotificationsHeader current="deliveries" />
      <div className={classes.tools}>
        <FilterChips fields={fields} onClear={clear} />
        <FilterButton fields={fields} />
      </div>
      <DeliveriesView
        state={state}
        total={list.data?.pages.at(-1)?.total ?? 0}
        filtered={fields.some(({ value }) => value !== undefined)}
        eventWords={eventWords}
        onClear={clear}
        more={list.hasNextPage ? { load: () => void list.fetchNextPage(), busy: list.isFetchingNextPage } : undefined}
      />
    </>
  );
}

function useFilterFields(
  filter: DeliveryFilter,
  onChange: (change: DeliveryFilter) => void,
  kinds: readonly string[],
): FilterField[] {
  const { t } = useTranslation("notifications");
  const { eventWords } = useEventWords(useQuery(eventsQuery).data);
  const channels = useChannelNames();
  return [
    {
      key: "state",
      label: t("deliveries.state"),
      value: filter.state,
      options: states.map((value) => ({ value, label: t(`state.${value}`) })),
      onChange: (state) => onChange({ state: state as DeliveryFilter["state"] }),
    },
    {
      key: "channel",
      label: t("deliveries.channel"),
      value: filter.channel,
      options: channels,
      onChange: (channel) => onChange({ channel }),
    },
    {
      key: "kind",
      label: t("deliveries.event"),
      value: filter.kind,
      options: kinds.map((value) => ({ value, label: eventWords(value) })),
      onChange: (kind) => onChange({ kind }),
    },
  ];
}
