import type { Schema } from '../api/client.js';
import { Button, counted, notifyFault } from '../ui/index.js';
import type { Body } from './draft.js';
import { saveSkipped } from './submit.js';

export interface FaultyRow {
  row: number;
  value?: string | undefined;
  message: string;
}

export const SHOWN_ROWS = 10;

export function Rows({ rows }: { rows: readonly FaultyRow[] }) {
  if (rows.length === 0) return null;
  return (
    <ul className="preview-texts">
      {rows.slice(0, SHOWN_ROWS).map(({ row, value, message }) => (
        <li key={`${String(row)} ${message}`}>
          Row {row} {value ?? ''}: {message}
        </li>
      ))}
    </ul>
  );
}

/** What the send leaves out, with a download of all of it. */
export function Skipped({ quote, body }: { quote: Schema<'BulkQuoteData'>; body: Body }) {
  const count = quote.skipped_count ?? 0;
  if (count === 0) return null;
  return (
    <>
      <p>{counted(count, 'row')} will be skipped:</p>
      <Rows rows={quote.skipped ?? []} />
      <div className="buttons">
        <Button onClick={() => void saveSkipped(body).catch((error: unknown) => notifyFault(error))}>
          Download skipped rows
        </Button>
      </div>
    </>
  );
}
