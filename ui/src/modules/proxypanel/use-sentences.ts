import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import type { Connection } from "./api";
import { causeOf, nodesDown } from "./causes";

/** What is wrong with a connection, and what to do about it, each in one sentence. */
export function useSentences() {
  const { t } = useTranslation("proxypanel");
  return useCallback(
    (connection: Connection) => {
      const cause = causeOf(connection.cause);
      const { cause: word, version, panel } = connection;
      const values = { word, version, down: nodesDown(connection), total: panel?.nodes ?? 0 };
      return { wrong: t(`cause.${cause}.wrong`, values), todo: t(`cause.${cause}.todo`) };
    },
    [t],
  );
}
