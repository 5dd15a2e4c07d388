import { CSV_LINE_END, csvLine } from '../../kernel/text.js';
import type { TextFrame } from '../../platform/http/index.js';
import type { Upload } from './domain/list-form.js';
import type { SkippedRow, UploadStore } from './uploads.store.js';

/** Behind the columns of the file. */
const TOLD = ['row', 'reason', 'message'] as const;

export const SKIPPED_EXAMPLE = [
  'phone,name,row,reason,message',
  'none,Asha,3,number_invalid,number has letters',
  '',
].join(CSV_LINE_END);

export const skippedFrame = ({ id, columns }: Pick<Upload, 'id' | 'columns'>): TextFrame => ({
  contentType: 'text/csv; charset=utf-8; header=present',
  headers: { 'Content-Disposition': `attachment; filename="skipped-${id}.csv"` },
  before: csvLine([...columns, ...TOLD]),
  after: '',
});

/** The rows of an upload that were left out, as lines of CSV. */
export async function* skippedLines(
  uploads: UploadStore,
  { id, columns }: Pick<Upload, 'id' | 'columns'>,
): AsyncGenerator<string, void, undefined> {
  for (let after = 0; ;) {
    const part = await uploads.skipsAfter(id, after);
    const last = part.at(-1);
    if (!last) return;
    after = last.seq;
    yield part.map((row) => lineOf(columns.length, row)).join('');
  }
}

function lineOf(width: number, { seq, reason, message, cells }: { seq: number } & SkippedRow): string {
  const given = cells ?? [];
  // a row of more cells than the header keeps them in its last column
  const own = given.length > width ? [...given.slice(0, width - 1), given.slice(width - 1).join(' | ')] : given;
  const padded = Array.from({ length: width }, (_, at) => own[at] ?? '');
  return csvLine([...padded, seq, reason, message]);
}
