import { CSV_LINE_END, csvLine } from '../../../kernel/text.js';
import type { TextFrame } from '../../../platform/http/index.js';
import type { ContactData, DetailedRecipient } from './contacts.dto.js';
import type { RecipientExport } from './contacts.queries.js';

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
  'credits',
] as const satisfies readonly (keyof ContactData)[];

const LAST_COLUMNS = ['carrier_code', 'refused'] as const satisfies readonly (keyof ContactData)[];

const columnsOf = ({ details, isTest }: RecipientExport): readonly string[] => [
  ...[...COLUMNS, ...details, ...LAST_COLUMNS],
  ...(isTest ? ['test'] : []),
];

export const csvFrame = (contacts: RecipientExport): TextFrame => ({
  contentType: 'text/csv; charset=utf-8; header=present',
  headers: { 'Content-Disposition': `attachment; filename="${contacts.fileName.replaceAll(':', '_')}.csv"` },
  before: csvLine(columnsOf(contacts)),
  after: '',
});

export const CSV_EXAMPLE = [
  [...COLUMNS, ...LAST_COLUMNS].join(','),
  '1,919812345678,DELIVERED,0,,,1,7f3a91,2026-11-21 09:30:02,1,,',
  '2,919812345404,FAILED,1,,Refused by the gateway,1,,2026-11-21 09:30:03,1,EC001,true',
  '',
].join(CSV_LINE_END);

const textOf = (value: DetailedRecipient[string] | undefined): string | number | null | undefined =>
  value === true ? 'true' : value;

export async function* csvLines(contacts: RecipientExport): AsyncGenerator<string, void, undefined> {
  const columns = columnsOf(contacts);
  for await (const batch of contacts.batches) {
    yield batch.map((contact) => csvLine(columns.map((column) => textOf(contact[column])))).join('');
  }
}
