export function SettingsPage() {
  return <h1 className="p-6 text-xl font-semibold">Settings</h1>;
}
