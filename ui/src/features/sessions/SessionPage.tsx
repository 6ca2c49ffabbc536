export function SessionPage() {
  return <h1 className="p-6 text-xl font-semibold">Session</h1>;
}
