import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Card, Facts } from "@/components/layout/card";
import type { SubjectDetail } from "../shared/api";
import { policyName } from "../shared/policy-name";

/** By which policy it is judged, and how. */
export function FactsCard({ subject }: { subject: SubjectDetail }) {
  const { t } = useTranslation("health");
  const places = new Set(subject.evidence.map(({ vantage }) => `${vantage.kind} ${vantage.node_id}`)).size;
  return (
    <Card title={t("facts.title")}>
      <Facts
        nameWidth={128}
        items={[
          {
            name: t("facts.policy"),
            value: <Link to="/monitoring/policies">{policyName(t, subject.policy_name)}</Link>,
          },
          { name: t("facts.quorum"), value: t("facts.quorumOf", { count: subject.quorum }) },
          { name: t("facts.places"), value: places },
        ]}
      />
    </Card>
  );
}
