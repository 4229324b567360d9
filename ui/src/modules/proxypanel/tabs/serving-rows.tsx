import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Row, Rows } from "@/components/layout/card";
import { Status } from "@/components/status/status";
import { useFormat } from "@/text/use-format";
import { nodeGlyphs } from "../panel/nodes-page";
import classes from "../proxypanel.module.css";
import type { Serving } from "./serving";

/** One row per node of a proxy panel: how it is, who is on it, and what it has carried in its current period. */
export function ServingRows({ serving, about }: { serving: Serving[]; about: (one: Serving) => ReactNode }) {
  const { t } = useTranslation("proxypanel");
  const format = useFormat();
  return (
    <Rows>
      {serving.map((one) => {
        const { connection, mapped, node } = one;
        return (
          <Row key={`${connection.id} ${mapped.panel_node_id}`}>
            <span className={classes.serving}>
              <span>
                <Link to={`/proxypanel/${connection.id}`}>{connection.label}</Link>{" "}
                <span className="strong">{mapped.name}</span>{" "}
                <Status kind={nodeGlyphs[mapped.state]}>{t(`node.state.${mapped.state}`)}</Status>
              </span>
              <span className="soft num">
                {node
                  ? t("serving.figures", {
                      count: node.users_online,
                      online: format.number(node.users_online),
                      traffic: format.bytes(node.traffic_used),
                    })
                  : t("serving.unknown")}
              </span>
              {about(one)}
            </span>
          </Row>
        );
      })}
    </Rows>
  );
}
