export function SharedTracePage() {
  return <h1 className="p-6 text-xl font-semibold">Shared trace</h1>;
}
