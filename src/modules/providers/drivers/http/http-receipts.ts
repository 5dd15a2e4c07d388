import { objectOrEmpty } from '../../../../kernel/objects.js';
import { digitsOf } from '../../../../kernel/phone-number.js';
import type { InboundText } from '../../ports/inbound-sink.js';
import type { ProviderCallback, Receipt } from '../../ports/message-driver.js';
import { type HttpInboundConfig, type HttpReceiptConfig, type HttpRouteConfig, USUAL_STATUSES } from './http-config.js';
import { readPath, readScalar } from '../template.js';

const LONGEST_TEXT = 200;
const DEFAULTS: HttpReceiptConfig = { id_path: 'id', status_path: 'status' };
const INBOUND_DEFAULTS: HttpInboundConfig = { from_path: 'from', text_path: 'text' };

/** The receipts of a callback; entries without an id, or with an unknown status, are left out. */
export function readReceipts(config: HttpReceiptConfig | undefined, callback: ProviderCallback): Receipt[] {
  const paths = config ?? DEFAULTS;
  const words = statusWords(paths);
  return entries(callback, paths.list_path).flatMap((entry): Receipt[] => {
    const id = readScalar(readPath(entry, paths.id_path));
    const status = words.get(at(entry, paths.status_path)?.toLowerCase() ?? '');
    if (id === null || !status) return [];
    const failed = status === 'failed';
    const receiver = digitsOf(at(entry, paths.receiver_path) ?? '');
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

/** The texts from handsets of a callback; entries without a number or a text are left out, and so are receipts. */
export function readTexts(
  { inbound: paths = INBOUND_DEFAULTS, receipt = DEFAULTS }: Pick<HttpRouteConfig, 'inbound' | 'receipt'>,
  callback: ProviderCallback,
): InboundText[] {
  const words = statusWords(receipt);
  return entries(callback, paths.list_path).flatMap((entry): InboundText[] => {
    const from = digitsOf(at(entry, paths.from_path) ?? '');
    const text = at(entry, paths.text_path);
    const isReceipt = words.has(at(entry, receipt.status_path)?.toLowerCase() ?? '');
    return from === '' || text === null || isReceipt ? [] : [{ from, text }];
  });
}

function entries({ method, query, body }: ProviderCallback, listPath: string | undefined): unknown[] {
  if (listPath === undefined && Array.isArray(body)) return body;
  const source = method === 'GET' ? query : { ...query, ...objectOrEmpty(body) };
  if (listPath === undefined) return [source];
  const list = readPath(source, listPath);
  return Array.isArray(list) ? list : list === undefined ? [] : [list];
}

const at = (entry: unknown, path: string | undefined): string | null =>
  path === undefined ? null : readScalar(readPath(entry, path));

/** A carrier's code as a number; null for a code that is none. */
export const asCode = (text: string | null): number | null =>
  text !== null && /^-?[0-9]{1,9}$/.test(text) ? Number(text) : null;
