import { TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import classes from "../geo.module.css";

const typing = 300;

interface SearchFieldProps {
  label: string;
  q: string;
  onFind: (q: string) => void;
}

/** Finds a moment after the last letter. */
export function SearchField({ label, q, onFind }: SearchFieldProps) {
  const [text, setText] = useState(q);
  useEffect(() => {
    if (text === q) return;
    const later = setTimeout(() => onFind(text.trim()), typing);
    return () => clearTimeout(later);
  }, [text, q, onFind]);
  return (
    <TextInput
      className={classes.search}
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={14} aria-hidden />}
      spellCheck={false}
      autoComplete="off"
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}
