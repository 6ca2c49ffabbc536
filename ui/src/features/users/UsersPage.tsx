export function UsersPage() {
  return <h1 className="p-6 text-xl font-semibold">Users</h1>;
}
