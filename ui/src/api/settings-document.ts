import {
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from "@tanstack/react-query";

/** A variable of the panel's environment that gives a field of the settings its default. */
export interface SettingsVariable {
  field: string;
  variable: string;
  /** The operator set it. */
  given: boolean;
  /** What it says; its default where it is not set. */
  value: string;
  /** True: the variable holds; false: what is stored in the settings. */
  holds: boolean;
}

/** What the panel answers about one settings document: its values, and the revision that a change has to name. */
export interface SettingsDocument<View> {
  revision: number;
  /** False: nothing was stored yet, the defaults hold. */
  stored: boolean;
  updated_at: string | null;
  settings: View;
  variables?: SettingsVariable[];
}

/** How a document is read and written: `answer(api.GET(...))` and `answer(api.PUT(...))` of its path. */
export interface SettingsCalls<View, Change> {
  read: (signal: AbortSignal) => Promise<SettingsDocument<View>>;
  write: (body: { revision: number; settings: Change }) => Promise<SettingsDocument<View>>;
}

export interface OpenDocument<View, Change> {
  query: UseQueryResult<SettingsDocument<View>>;
  save: UseMutationResult<SettingsDocument<View>, unknown, { revision: number; settings: Change }>;
}

/** One settings document of the panel, by its name. What was stored replaces what was read. */
export function useSettingsDocument<View, Change>(
  name: string,
  calls: SettingsCalls<View, Change>,
): OpenDocument<View, Change> {
  const queries = useQueryClient();
  const queryKey = ["settings", "document", name];
  const query = useQuery({ queryKey, queryFn: ({ signal }) => calls.read(signal) });
  const save = useMutation({
    mutationFn: calls.write,
    gcTime: 0,
    onSuccess: (stored) => queries.setQueryData(queryKey, stored),
  });
  return { query, save };
}
