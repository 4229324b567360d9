import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useAccess } from "@/api/access";
import { PageHeader, Meta } from "@/components/layout/page-header";
import { usePageTitle } from "@/components/layout/page-title";
import { useBlock } from "../header";
import { subjectQuery, type Kind } from "../shared/api";
import { SubjectBody } from "./subject-body";

const needs = { nodes: "nodes.view", flows: "connection_units.view" } as const;

/** The page of one node or flow: how it does, and who says so. */
export function SubjectPage({ kind }: { kind: Kind }) {
  const { id } = useParams({ strict: false }) as { id: string };
  const { t } = useTranslation("health");
  const { can } = useAccess();
  const subject = useQuery(subjectQuery(kind, id)).data;
  usePageTitle(subject?.name);
  return (
    <>
      <PageHeader
        title={subject?.name ?? t(`${kind}.one`)}
        meta={
          can(needs[kind]) && (
            <Meta>
              <Link to={`/${kind}/${id}`}>{t(`${kind}.open`)}</Link>
            </Meta>
          )
        }
        closed={useBlock()}
      />
      <SubjectBody kind={kind} id={id} />
    </>
  );
}
