import { TagsInput, type TagsInputProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { completionsQuery, missingQuery, offered, type GeoFile, type Missing } from "./geo-lists";
import classes from "./geo-field.module.css";

type GeoFieldProps = Omit<TagsInputProps, "data" | "value" | "onChange"> & {
  file: GeoFile;
  value: string[];
  onChange: (values: string[]) => void;
};

const pause = 200;

/**
 * Categories of a geo file: completed from the installed one, and those that it does not have are said at once. Then
 * the sentence of a refused draft would say the same again.
 */
export function GeoField({ file, value, onChange, error, ...shared }: GeoFieldProps) {
  const { t } = useTranslation("flows");
  const [typed, setTyped] = useState("");
  const [asked] = useDebouncedValue(typed.trim(), pause);
  const [open, setOpen] = useState(false);
  const found = useQuery({ ...completionsQuery(file, asked), enabled: open }).data ?? [];
  const missing = useQuery(missingQuery(file, value)).data?.filter(({ token }) => value.includes(token)) ?? [];
  return (
    <div>
      <TagsInput
        splitChars={[",", " "]}
        data={offered(typed, found, value)}
        filter={({ options }) => options}
        onDropdownOpen={() => setOpen(true)}
        searchValue={typed}
        onSearchChange={setTyped}
        value={value}
        onChange={onChange}
        {...shared}
        error={missing.length > 0 ? Boolean(error) : error}
      />
      {missing.length > 0 && (
        <ul className={classes.missing} aria-label={t("match.geoMissing")}>
          {missing.map((one) => (
            <li key={one.token}>
              <Said missing={one} file={file} />
              {one.suggestions.map((token) => (
                <button
                  key={token}
                  type="button"
                  className="mono"
                  onClick={() => onChange(value.map((chosen) => (chosen === one.token ? token : chosen)))}
                >
                  {token}
                </button>
              ))}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Said({ missing: { token, noFile, suggestions }, file }: { missing: Missing; file: GeoFile }) {
  const { t } = useTranslation("flows");
  if (noFile) return <span>{t("match.geoNoFile", { file: `${file}.dat` })}</span>;
  return (
    <span>{t(suggestions.length > 0 ? "match.geoMeant" : "match.geoUnknown", { token, file: `${file}.dat` })}</span>
  );
}
