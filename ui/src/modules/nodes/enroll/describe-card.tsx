import { MultiSelect, Select, TagsInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconCheck } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { fieldErrors, isProblem } from "@/api/problem";
import { Action } from "@/components/action/action";
import { useLeaveGuard } from "@/components/form/use-leave-guard";
import { FormProblems } from "@/components/form/form-problems";
import { Tag } from "@/components/status/status";
import { StepMark } from "@/components/status/step-mark";
import { useLanguage } from "@/text/use-format";
import { problemText } from "@/text/problem-text";
import classes from "./add-node.module.css";
import type { NodeRole } from "../shared/api";
import { countryOptions } from "../shared/country";
import { nodeNameRule } from "../shared/node-name";
import type { NodeDetail } from "../shared/types";
import type { EnrollmentState } from "./use-enrollment";

/** Step one: what the server is called. Folds to one line once the node exists. */
export function DescribeCard({
  node,
  enrollment,
  block,
}: {
  node: NodeDetail | undefined;
  enrollment: EnrollmentState;
  block: string | undefined;
}) {
  const { t } = useTranslation("nodes");
  if (node) {
    return (
      <section className={classes.folded}>
        <IconCheck size={16} stroke={2} className={classes.tick} aria-label={t("new.done")} />
        <b>{t("new.describe")}</b>
        <span className={classes.foldedFacts}>
          {node.name} {node.address && <span className="mono dim">{node.address}</span>}
          {node.tags.map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
        </span>
      </section>
    );
  }
  return <DescribeForm enrollment={enrollment} block={block} />;
}

const roles: NodeRole[] = ["entry", "transit", "exit", "edge"];

function DescribeForm({ enrollment, block }: { enrollment: EnrollmentState; block: string | undefined }) {
  const { t } = useTranslation("nodes");
  const form = useForm({
    initialValues: {
      name: "",
      address: "",
      country: "",
      region: "",
      roles: [] as NodeRole[],
      tags: [] as string[],
    },
    validateInputOnBlur: true,
    validate: { name: (value) => (nodeNameRule.test(value.trim()) ? null : t("new.nameRule")) },
  });
  useLeaveGuard(form.isDirty());
  const language = useLanguage();
  const server = fieldErrors(enrollment.error);
  const taken = isProblem(enrollment.error, "name_taken") ? problemText(enrollment.error) : undefined;
  const submit = form.onSubmit((values) => {
    if (block || enrollment.busy) return;
    const address = values.address.trim();
    enrollment.describe({
      name: values.name.trim(),
      ...(address ? { address } : {}),
      ...(values.country ? { country_code: values.country } : {}),
      ...(values.region.trim() ? { region: values.region.trim() } : {}),
      ...(values.roles.length > 0 ? { roles: values.roles } : {}),
      ...(values.tags.length > 0 ? { tags: values.tags } : {}),
    });
  });
  return (
    <section className={classes.step} data-open aria-label={t("new.describe")}>
      <div className={classes.stepHead}>
        <StepMark number={1} state="now" />
        <h2>{t("new.describe")}</h2>
      </div>
      <form className={classes.form} onSubmit={submit} noValidate>
        {!taken && <FormProblems error={enrollment.error} fields={{ name: "node-name", address: "node-address" }} />}
        <div className={classes.pair}>
          <TextInput
            id="node-name"
            autoFocus
            autoComplete="off"
            label={t("new.name")}
            description={t("new.nameHelp")}
            placeholder="fra-01"
            {...form.getInputProps("name")}
            error={form.errors.name ?? taken ?? server.name}
          />
          <TextInput
            id="node-address"
            autoComplete="off"
            label={t("new.address")}
            description={t("new.addressHelp")}
            placeholder="203.0.113.52"
            {...form.getInputProps("address")}
            error={form.errors.address ?? server.address}
          />
          <Select
            label={t("settings.country")}
            data={countryOptions(language)}
            searchable
            clearable
            nothingFoundMessage={t("settings.noCountry")}
            value={form.getValues().country || null}
            onChange={(value) => form.setFieldValue("country", value ?? "")}
            error={server.country_code}
          />
          <TextInput
            autoComplete="off"
            label={t("settings.region")}
            description={t("settings.regionHelp")}
            maxLength={64}
            {...form.getInputProps("region")}
            error={server.region}
          />
        </div>
        <MultiSelect
          label={t("columns.roles")}
          description={t("settings.rolesHelp")}
          data={roles.map((value) => ({ value, label: t(`role.${value}`) }))}
          value={form.getValues().roles}
          onChange={(value) => form.setFieldValue("roles", value as NodeRole[])}
          error={server.roles}
        />
        <TagsInput
          label={t("new.tags")}
          description={t("new.tagsHelp")}
          maxTags={20}
          {...form.getInputProps("tags")}
          error={server.tags}
        />
        <div>
          <Action kind="filled" type="submit" busy={enrollment.busy} reason={block}>
            {t("new.continue")}
          </Action>
        </div>
      </form>
    </section>
  );
}
