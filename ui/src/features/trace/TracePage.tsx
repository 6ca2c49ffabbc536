export function TracePage() {
  return <h1 className="p-6 text-xl font-semibold">Trace</h1>;
}
