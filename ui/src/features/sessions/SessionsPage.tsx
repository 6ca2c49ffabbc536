export function SessionsPage() {
  return <h1 className="p-6 text-xl font-semibold">Sessions</h1>;
}
