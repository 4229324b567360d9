import { NotificationsHeader } from "../header";
import SettingsSection from "./settings-section";

export default function SettingsPage() {
  return (
    <>
      <NotificationsHeader current="settings" />
      <SettingsSection />
    </>
  );
}
