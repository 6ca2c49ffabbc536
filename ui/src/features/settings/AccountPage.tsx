export function AccountPage() {
  return <h1 className="p-6 text-xl font-semibold">Account</h1>;
}
