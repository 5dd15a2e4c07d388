import type { ProviderCallback, Receipt } from '../../ports/message-driver.js';
import { type HttpReceiptConfig, USUAL_STATUSES } from './http-config.js';
import { readPath, readScalar } from './template.js';

const LONGEST_TEXT = 200;
const DEFAULTS: HttpReceiptConfig = { id_path: 'id', status_path: 'status' };

/** The receipts of a callback; entries without an id, or with a status nobody knows, are left out. */
export function readReceipts(config: HttpReceiptConfig | undefined, callback: ProviderCallback): Receipt[] {
  const paths = config ?? DEFAULTS;
  const words = statusWords(paths);
  const source = callback.method === 'GET' ? callback.query : { ...callback.query, ...asObject(callback.body) };
  const list = Array.isArray(callback.body) && paths.list_path === undefined ? callback.body : entries(source, paths);
  return list.flatMap((entry): Receipt[] => {
    const id = readScalar(readPath(entry, paths.id_path));
    const status = words.get(readScalar(readPath(entry, paths.status_path))?.toLowerCase() ?? '');
    if (id === null || !status) return [];
    const failed = status === 'failed';
    const receiver = at(entry, paths.receiver_path)?.replace(/[^0-9]/g, '') ?? '';
    return [
      {
        providerMessageId: id,
        status,
        errorCode: failed ? asCode(at(entry, paths.error_code_path)) : null,
        errorText: failed
          ? (at(entry, paths.error_text_path)?.slice(0, LONGEST_TEXT) ?? 'Failed at the carrier')
          : null,
        receiver: receiver === '' ? null : receiver,
      },
    ];
  });
}

function statusWords(paths: HttpReceiptConfig): Map<string, Receipt['status']> {
  const map = paths.status_map ?? USUAL_STATUSES;
  return new Map(Object.entries(map).map(([word, status]) => [word.toLowerCase(), status]));
}

function entries(source: Record<string, unknown>, paths: HttpReceiptConfig): unknown[] {
  if (paths.list_path === undefined) return [source];
  const list = readPath(source, paths.list_path);
  return Array.isArray(list) ? list : list === undefined ? [] : [list];
}

const asObject = (body: unknown): Record<string, unknown> =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Record<string, unknown>) : {};

const at = (entry: unknown, path: string | undefined): string | null =>
  path === undefined ? null : readScalar(readPath(entry, path));

/** A carrier's code as a number; null for a code that is none. */
export const asCode = (text: string | null): number | null =>
  text !== null && /^-?[0-9]{1,9}$/.test(text) ? Number(text) : null;
