import { PasswordInput, Switch, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Connection } from "./api";
import type { Draft } from "./draft";
import { HeaderRows } from "./header-rows";
import { KeptField } from "./kept-field";
import { PemField } from "./pem-field";
import classes from "./proxypanel.module.css";
import { ScopesNote } from "./scopes-note";

interface FieldsProps {
  draft: Draft;
  set: (next: Partial<Draft>) => void;
  errorOf: (field: keyof Draft) => string | undefined;
  stored?: Connection;
  /** Nobody has entered the panel yet, so that there is no token. */
  fresh?: boolean;
}

/** The fields of a connection. What hardly anybody needs is folded away until something of it is set or wrong. */
export function ConnectionFields(props: FieldsProps) {
  const { draft, set, errorOf, fresh = false } = props;
  const { t } = useTranslation("proxypanel");
  return (
    <>
      <TextInput
        id="panel-label"
        size="md"
        label={t("form.label")}
        description={t("form.labelHelp")}
        value={draft.label}
        maxLength={64}
        autoComplete="off"
        data-autofocus
        onChange={(event) => set({ label: event.currentTarget.value })}
        error={errorOf("label")}
      />
      <TextInput
        id="panel-base_url"
        size="md"
        label={t("form.address")}
        description={t("form.addressHelp")}
        placeholder="https://panel.example.com"
        inputMode="url"
        value={draft.base_url}
        maxLength={500}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => set({ base_url: event.currentTarget.value })}
        error={errorOf("base_url")}
      />
      {!fresh && <TokenField {...props} />}
      <Switch
        label={t("form.direct")}
        description={t("form.directHelp")}
        checked={draft.direct}
        onChange={(event) => set({ direct: event.currentTarget.checked })}
      />
      <Gate {...props} />
    </>
  );
}

function TokenField({ draft, set, errorOf, stored }: FieldsProps) {
  const { t } = useTranslation("proxypanel");
  return (
    <div className={classes.field}>
      <KeptField
        label={t("form.token")}
        part={draft.token}
        onChange={(token) => set({ token })}
        stored={stored?.has_token ?? false}
        blank=""
        needed
      >
        <PasswordInput
          id="panel-token"
          size="md"
          label={t("form.token")}
          description={t("form.tokenHelp")}
          value={draft.token.value}
          maxLength={8192}
          autoComplete="new-password"
          spellCheck={false}
          onChange={(event) => set({ token: { way: "given", value: event.currentTarget.value } })}
          error={errorOf("token")}
          visibilityToggleButtonProps={{ "aria-label": t("form.show", { name: t("form.token") }) }}
        />
      </KeptField>
      <ScopesNote />
    </div>
  );
}

const gated = ["extra_headers", "cookie", "ca", "client_certificate"] as const;

function Gate(props: FieldsProps) {
  const { draft, set, errorOf, stored, fresh } = props;
  const { t } = useTranslation("proxypanel");
  const [opened, setOpened] = useState(gated.some((field) => draft[field].way === "kept"));
  const open = opened || gated.some((field) => errorOf(field) !== undefined);
  return (
    <details
      className={classes.more}
      open={open}
      onToggle={(event) => event.currentTarget.open !== open && setOpened(event.currentTarget.open)}
    >
      <summary>{t(fresh ? "form.gateFresh" : "form.gate")}</summary>
      <div className={classes.gate}>
        <p className="soft">{t("form.gateHelp")}</p>
        <KeptField
          label={t("form.headers")}
          part={draft.extra_headers}
          onChange={(extra_headers) => set({ extra_headers })}
          stored={stored?.has_extra_headers ?? false}
          blank={[{ name: "", value: "" }]}
        >
          <HeaderRows
            id="panel-extra_headers"
            rows={draft.extra_headers.value}
            onChange={(value) => set({ extra_headers: { way: "given", value } })}
            error={errorOf("extra_headers")}
          />
        </KeptField>
        {!fresh && (
          <>
            <CookieField {...props} />
            <CertificateField {...props} field="ca" name="ca" has={stored?.has_ca} />
            <CertificateField {...props} field="client_certificate" name="pair" has={stored?.has_client_certificate} />
          </>
        )}
      </div>
    </details>
  );
}

function CookieField({ draft, set, errorOf, stored }: FieldsProps) {
  const { t } = useTranslation("proxypanel");
  return (
    <KeptField
      label={t("form.cookie")}
      part={draft.cookie}
      onChange={(cookie) => set({ cookie })}
      stored={stored?.has_cookie ?? false}
      blank=""
    >
      <PasswordInput
        id="panel-cookie"
        label={t("form.cookie")}
        description={t("form.cookieHelp")}
        value={draft.cookie.value}
        maxLength={8192}
        autoComplete="new-password"
        spellCheck={false}
        onChange={(event) => set({ cookie: { way: "given", value: event.currentTarget.value } })}
        error={errorOf("cookie")}
        visibilityToggleButtonProps={{ "aria-label": t("form.show", { name: t("form.cookie") }) }}
      />
    </KeptField>
  );
}

type CertificateProps = FieldsProps & {
  field: "ca" | "client_certificate";
  name: "ca" | "pair";
  has: boolean | undefined;
};

function CertificateField({ draft, set, errorOf, field, name, has = false }: CertificateProps) {
  const { t } = useTranslation("proxypanel");
  return (
    <KeptField
      label={t(`form.${name}`)}
      part={draft[field]}
      onChange={(part) => set({ [field]: part })}
      stored={has}
      blank=""
    >
      <PemField
        id={`panel-${field}`}
        label={t(`form.${name}`)}
        help={t(`form.${name}Help`)}
        value={draft[field].value}
        onChange={(value) => set({ [field]: { way: "given", value } })}
        error={errorOf(field)}
      />
    </KeptField>
  );
}
