import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { serverNow } from "@/api/server-clock";
import { useSearchState } from "@/components/screen/use-search";
import type { FilterField } from "@/components/table/filter-chips";
import { useTableLook } from "@/components/table/use-table-look";
import { AbuseHeader } from "../header";
import { signalKinds } from "../shared/kinds";
import { ListTools } from "../shared/list-tools";
import { shortRef } from "../shared/user";
import { signalsQuery, type Signal } from "./api";
import { SignalDrawer } from "./signal-drawer";
import { detectors, filterOf, signalsSearch, spanNames, type SignalsSearch } from "./signals-search";
import { SignalsTable } from "./signals-table";

const ready = ["torrent", "port_scan", "smtp_spam", "too_many_sources"] as const;

/** What agents saw users do: find, narrow down, and look at the evidence. */
export default function SignalsPage() {
  const { t } = useTranslation("abuse");
  const [place, setPlace] = useSearchState(signalsSearch);
  const list = useInfiniteQuery(signalsQuery(filterOf(place, serverNow())));
  const own = useTableLook("abuse-signals");
  const [open, setOpen] = useState<Signal>();
  const fields = useFields(place, list.data?.items ?? [], setPlace);
  const narrowed = fields.some(({ value }) => value !== undefined);
  const clear = () => setPlace(Object.fromEntries(fields.map(({ key }) => [key, undefined])));
  return (
    <>
      <AbuseHeader current="signals" readOnly />
      <ListTools
        name="abuse-signals"
        path="/abuse/signals"
        place={place}
        own={own}
        fields={fields}
        onChange={setPlace}
        views={[
          { key: "all", label: t("views.all"), search: {} },
          ...ready.map((kind) => ({ key: kind, label: t(`kind.${kind}`), search: { kind } })),
        ]}
      />
      <SignalsTable
        list={list}
        own={own}
        sorting={{
          value: place.sort ?? "-last_at",
          onChange: (sort) => setPlace({ sort: sort as SignalsSearch["sort"] }),
        }}
        onOpen={setOpen}
        onClear={narrowed ? clear : undefined}
      />
      <SignalDrawer signal={open} onClose={() => setOpen(undefined)} />
    </>
  );
}

/** What is offered of nodes, flows and users is what stands in the list. */
function useFields(
  place: SignalsSearch,
  shown: readonly Signal[],
  onChange: (change: Partial<SignalsSearch>) => void,
): FilterField[] {
  const { t } = useTranslation("abuse");
  const choice = <Value extends string>(
    key: keyof SignalsSearch & string,
    label: string,
    options: readonly { value: Value; label: string }[],
  ): FilterField => ({
    key,
    label,
    value: place[key],
    options: [...options],
    onChange: (value) => onChange({ [key]: value }),
  });
  const named = (id: "node_id" | "flow_id" | "user_ref", name: (signal: Signal) => string) => {
    const known = new Map(shown.map((signal) => [signal[id], name(signal) || shortRef(signal[id])]));
    const wanted = place[id];
    if (wanted && !known.has(wanted)) known.set(wanted, shortRef(wanted));
    known.delete("");
    return [...known].map(([value, label]) => ({ value, label })).sort((a, b) => a.label.localeCompare(b.label));
  };
  const words = <Value extends string>(values: readonly Value[], at: string) =>
    values.map((value) => ({ value, label: t(`${at}.${value}`) }));
  return [
    choice("span", t("signals.span"), words(spanNames, "span")),
    choice("kind", t("signals.kind"), words(signalKinds, "kind")),
    choice(
      "user_ref",
      t("user.one"),
      named("user_ref", ({ user_label }) => user_label),
    ),
    choice(
      "node_id",
      t("node"),
      named("node_id", ({ node_name }) => node_name),
    ),
    choice(
      "flow_id",
      t("flow"),
      named("flow_id", ({ flow_name }) => flow_name),
    ),
    choice("detected_by", t("signals.how"), words(detectors, "detector")),
    choice("certain", t("signals.certain"), words(["medium", "high"], "signals.least")),
    choice("allowed", t("signals.allowed"), words(["yes"], "signals.allowedIs")),
  ];
}
