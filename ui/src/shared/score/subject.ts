/** What people say something about: an observation, or the trace as a whole. */
export interface Subject {
  traceId: string;
  observationId: string | undefined;
}
