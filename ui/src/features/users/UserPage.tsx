export function UserPage() {
  return <h1 className="p-6 text-xl font-semibold">User</h1>;
}
