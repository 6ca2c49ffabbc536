export function GalleryPage() {
  return <h1 className="p-6 text-xl font-semibold">Components</h1>;
}
