export function TracesPage() {
  return <h1 className="p-6 text-xl font-semibold">Traces</h1>;
}
