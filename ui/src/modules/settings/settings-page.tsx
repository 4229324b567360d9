import { useQuery } from "@tanstack/react-query";
import { viewState } from "@/components/states";
import { securityQuery } from "./api";
import { SettingsView } from "./settings-view";

export default function SettingsPage() {
  return <SettingsView state={viewState(useQuery(securityQuery))} />;
}
