export function FirstTracePage() {
  return <h1 className="p-6 text-xl font-semibold">First trace</h1>;
}
