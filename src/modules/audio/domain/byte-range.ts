/** Bytes of a file, both ends inclusive. */
export interface ByteRange {
  from: number;
  to: number;
}

/**
 * What a `Range` header asks of a file of `size` bytes (RFC 9110 §14.2): the whole file when there is no such header or
 * it is not understood, which is also the answer to several ranges at once.
 * @returns `unsatisfiable` when the range lies behind the end
 */
export function readRange(header: string | undefined, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const match = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (!match || (first === '' && last === '')) return 'whole';
  if (first === '') {
    const suffix = Math.min(Number(last), size);
    return suffix === 0 ? 'unsatisfiable' : { from: size - suffix, to: size - 1 };
  }
  const from = Number(first);
  const to = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < from) return 'whole';
  return from >= size ? 'unsatisfiable' : { from, to };
}
