export function ObservationsPage() {
  return <h1 className="p-6 text-xl font-semibold">Observations</h1>;
}
