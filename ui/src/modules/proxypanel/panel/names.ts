import { useInfiniteQuery } from "@tanstack/react-query";
import { inboundsQuery, nodesQuery, squadsQuery } from "./api";

interface Named {
  id: string;
  name: string;
}

/** Gives names for ids, as far as they were read; a short form of the id stands for one that is not. */
const namesOf = (known: readonly Named[] = []) => {
  const names = new Map(known.map(({ id, name }) => [id, name]));
  return (ids: readonly string[]) => ids.map((id) => names.get(id) ?? id.slice(0, 8)).join(", ");
};

export const useNodeNames = (connectionId: string) =>
  namesOf(useInfiniteQuery(nodesQuery(connectionId, {})).data?.items);

export const useInboundNames = (connectionId: string) =>
  namesOf(useInfiniteQuery(inboundsQuery(connectionId, {})).data?.items);

export const useSquadNames = (connectionId: string) =>
  namesOf(useInfiniteQuery(squadsQuery(connectionId, {})).data?.items);
