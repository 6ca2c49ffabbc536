/** A metrics query as a command for a shell of a Unix; the keys come from the environment. */
export function metricsCurl(baseUrl: string, asked: unknown): string {
  const text = `query=${JSON.stringify(asked)}`.replaceAll("'", `'\\''`);
  return [`curl --get '${baseUrl}/api/public/v2/metrics'`, '  --user "$SONDE_PUBLIC_KEY:$SONDE_SECRET_KEY"', `  --data-urlencode '${text}'`].join(" \\\n");
}
