import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useProject } from "@/shared/api/project";
import { allOf } from "../api";
import { guessMapping, type Mapping, type Notation, type SourceRow, type Target } from "./mapping";
import { type FileFormat, formatOf, peekFile } from "./read";
import { type ImportProgress, type ImportResult, runImport } from "./run";

const previewed = 5;

/** A file that was chosen, with its first rows. */
export interface Chosen {
  file: File;
  format: FileFormat;
  columns: string[];
  rows: SourceRow[];
}

/** The steps of an import: choose a file, say what its columns are, check, write. */
export function useImport(datasetId: string) {
  const project = useProject();
  const client = useQueryClient();
  const [mapping, setMapping] = useState<Mapping>(new Map());
  const [asText, setAsText] = useState(false);
  const [progress, setProgress] = useState<ImportProgress>();
  const [stopped, setStopped] = useState(false);
  const running = useRef(new AbortController());
  useEffect(() => () => running.current.abort(), []);

  const choose = useMutation({
    mutationFn: async (file: File): Promise<Chosen> => {
      const format = formatOf(file.name);
      if (format === undefined) throw new Error("Choose a file whose name ends in .csv, .tsv, .jsonl or .ndjson.");
      const { columns, rows } = await peekFile(file, format, previewed);
      if (columns.length === 0) throw new Error("The file has no rows.");
      setMapping(guessMapping(columns));
      return { file, format, columns, rows };
    },
  });
  const notation: Notation = choose.data?.format === "jsonl" ? "json" : asText ? "text" : "auto";
  const run = (dryRun: boolean, skip: ReadonlySet<number>): Promise<ImportResult> => {
    running.current = new AbortController();
    setProgress(undefined);
    setStopped(false);
    const { file, format } = choose.data!;
    return runImport({ project, datasetId, file, format, mapping, notation, skip, dryRun }, setProgress, running.current.signal);
  };
  const check = useMutation({ mutationFn: () => run(true, new Set()) });
  const write = useMutation({ mutationFn: (skip: ReadonlySet<number>) => run(false, skip), onSettled: () => void client.invalidateQueries({ queryKey: allOf(project) }) });
  const stale = () => (check.reset(), write.reset());
  return {
    chosen: choose.data, choosing: choose.isPending, chooseError: choose.error, choose: (file: File) => (stale(), choose.mutate(file)),
    mapping, notation, asText,
    map: (column: string, target: Target) => (setMapping((before) => new Map(before).set(column, target)), stale()),
    setAsText: (next: boolean) => (setAsText(next), stale()),
    check, write, progress,
    startCheck: () => (stale(), check.mutate()),
    startWrite: () => write.mutate(check.data?.failedLines ?? new Set()),
    /** Somebody ended what ran last. */
    stopped,
    stop: () => (setStopped(true), running.current.abort()),
  };
}

export type Import = ReturnType<typeof useImport>;
