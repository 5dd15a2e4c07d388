import type { TextFrame } from '../../../platform/http/index.js';
import type { ContactView } from '../queries/contact.view.js';
import type { ContactExport } from '../queries/export-contacts.query.js';

const COLUMNS = [
  'seq',
  'receiver',
  'status',
  'status_code',
  'error_code',
  'errorMessage',
  'attempts',
  'provider_message_id',
  'updated_at',
] as const satisfies readonly (keyof ContactView)[];
const CALL_COLUMNS = ['duration', 'digits', 'recording_url'] as const satisfies readonly (keyof ContactView)[];

/** What a spreadsheet would take for the start of a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const TO_BE_QUOTED = /[",\r\n]/;
const LINE_END = '\r\n';

/** A field after RFC 4180; an apostrophe before it keeps spreadsheets from calculating what somebody else wrote. */
export function csvField(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return TO_BE_QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const columnsOf = ({ calls }: ContactExport): readonly (keyof ContactView)[] =>
  calls ? [...COLUMNS, ...CALL_COLUMNS] : COLUMNS;

/** Headers and header line of the export. */
export const csvFrame = (contacts: ContactExport): TextFrame => ({
  contentType: 'text/csv; charset=utf-8; header=present',
  headers: { 'Content-Disposition': `attachment; filename="${contacts.requestId.replaceAll(':', '_')}.csv"` },
  before: columnsOf(contacts).join(',') + LINE_END,
  after: '',
});

/** The lines, batch by batch. */
export async function* csvLines(contacts: ContactExport): AsyncGenerator<string, void, undefined> {
  const columns = columnsOf(contacts);
  for await (const batch of contacts.batches) {
    yield batch.map((contact) => columns.map((column) => csvField(contact[column])).join(',') + LINE_END).join('');
  }
}
