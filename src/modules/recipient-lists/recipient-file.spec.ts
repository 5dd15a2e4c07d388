import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { AppError } from '../../kernel/errors.js';
import { readNumber } from '../../kernel/phone-numbers.js';
import { RecipientFile } from './recipient-file.js';
import type { UploadRow } from './domain/file-rows.js';

const RUNS = { numRuns: 300, seed: 20_261_122 };

/** A file in pieces of these sizes, in turn. */
async function* pieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0, index = 0; at < bytes.length; index++) {
    await Promise.resolve();
    const size = sizes[index % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function read(
  content: string | Uint8Array,
  sizes: readonly number[] = [65_536],
): Promise<{ rows: UploadRow[]; file: RecipientFile }> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const file = new RecipientFile(pieces(bytes, sizes), { mostBytes: 1_000_000, numberColumn: null, readNumber });
  const rows: UploadRow[] = [];
  for await (const batch of file.batches()) rows.push(...batch.filter((row): row is UploadRow => 'number' in row));
  return { rows, file };
}

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

/** Text of a cell as it comes back: white space around it does not count. */
const text = fc.string({ unit: 'grapheme', maxLength: 30 }).filter((cell) => !cell.includes('\0'));

describe('a file', () => {
  it('comes back as it was written, wherever it is cut', async () => {
    const rows = fc.array(fc.tuple(fc.integer({ min: 919_000_000_000, max: 919_999_999_999 }), text), {
      minLength: 1,
      maxLength: 20,
    });
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
    const delimiters = fc.constantFrom(',', ';', '\t');
    const breaks = fc.constantFrom('\n', '\r\n', '\r');
    await fc.assert(
      fc.asyncProperty(rows, sizes, delimiters, breaks, fc.boolean(), async (given, cut, delimiter, end, mark) => {
        const lines = given.map(([number, cell]) => [String(number), quoted(cell)].join(delimiter));
        const csv = `${mark ? '\uFEFF' : ''}${[['to', 'note'].join(delimiter), ...lines].join(end)}${end}`;
        const { rows: found, file } = await read(csv, cut);
        expect(found).toEqual(
          given.map(([number, cell], index) => ({
            row: index + 1,
            number: String(number),
            variables: cell === '' ? '{}' : JSON.stringify({ note: cell }),
          })),
        );
        expect(file.facts).toMatchObject({ columns: ['to', 'note'], numberColumn: 'to', invalidCount: 0 });
      }),
      RUNS,
    );
  });

  it('is read or refused, whatever its bytes: never another fault, never without end', async () => {
    const signs = fc.constantFrom(
      ...['"', ',', ';', '\t', '\n', '\r', ' ', "'", '+', '1', '919876543210', 'to', 'x', '\0', '\uFEFF', 'é', '😀'],
    );
    const like = fc.array(signs, { maxLength: 60 }).map((parts) => new TextEncoder().encode(parts.join('')));
    const begun = like.map((rest) => new Uint8Array([...new TextEncoder().encode('to,name\n'), ...rest]));
    const wild = fc.uint8Array({ maxLength: 200 });
    const cut = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.oneof(like, begun, wild), cut, async (bytes, sizes) => {
        const outcome = await read(bytes, sizes).catch((error: unknown) => error);
        if (outcome instanceof Error) {
          expect(outcome).toBeInstanceOf(AppError);
          expect((outcome as AppError).kind).toBe('invalid');
          return;
        }
        const { rows, file } = outcome as { rows: UploadRow[]; file: RecipientFile };
        expect(rows.length).toBeGreaterThan(0);
        for (const { number, variables } of rows) {
          expect(number).toMatch(/^[0-9]{8,30}$/);
          expect(() => void JSON.parse(variables ?? '{}')).not.toThrow();
        }
        expect(file.facts.sample.length).toBe(Math.min(rows.length, 5));
      }),
      { ...RUNS, numRuns: 2_000 },
    );
  });

  it('is the same however it is cut', async () => {
    const csv = 'to;name\r\n919876543210;"Asha ""A"";\r\nPune"\r\nnone;x\r\n\r\n919876543211;😀\r\n';
    const whole = await read(csv);
    for (let size = 1; size < 20; size++) {
      const cut = await read(csv, [size]);
      expect(cut.rows).toEqual(whole.rows);
      expect(cut.file.facts).toEqual(whole.file.facts);
    }
    expect(whole.rows.map(({ row }) => row)).toEqual([1, 4]);
  });

  it('comes in batches that are bounded by rows and by their text', async () => {
    const sizesOf = async (csv: string): Promise<number[]> => {
      const bytes = new TextEncoder().encode(csv);
      const file = new RecipientFile(pieces(bytes, [65_536]), { mostBytes: 1e9, numberColumn: null, readNumber });
      const sizes: number[] = [];
      for await (const batch of file.batches()) sizes.push(batch.length);
      return sizes;
    };
    expect(await sizesOf(`to\n${'919876543210\n'.repeat(12_000)}`)).toEqual([5_000, 5_000, 2_000]);
    const long = `919876543210${`,${'x'.repeat(1_000)}`.repeat(5)}\n`;
    const sizes = await sizesOf(`to,a,b,c,d,e\n${long.repeat(1_000)}`);
    expect(Math.max(...sizes)).toBeLessThan(250);
  });

  it('lets go of its source when it is refused', async () => {
    let isReleased = false;
    const endless = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
      try {
        for (;;) {
          await Promise.resolve();
          yield new TextEncoder().encode('x,"y');
        }
      } finally {
        isReleased = true;
      }
    };
    const file = new RecipientFile(endless(), { mostBytes: 1e9, numberColumn: null, readNumber });
    await expect(file.batches().next()).rejects.toThrow('Header of the file is larger than 64 KB');
    expect(isReleased).toBe(true);
  });

  // a client that still sends is to be read to the end, or its connection is lost to its next request
  it.each([
    ['in its first piece', 'to,name\n1"2,a\n', '"x'],
    ['in a later piece', 'to,name\n', '919876543210,a"b"c"\n'],
    ['by its header', 'name,city\n', 'a,b\n'],
  ])('that is at fault %s lets go of what it was read from', async (_where, first, second) => {
    let isLetGo = false;
    const source = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
      try {
        for (const piece of [first, ...Array.from({ length: 50 }, () => second)]) {
          await Promise.resolve();
          yield new TextEncoder().encode(piece);
        }
      } finally {
        isLetGo = true;
      }
    };
    const batches = new RecipientFile(source(), { mostBytes: 1_000_000, numberColumn: null, readNumber }).batches();
    await expect(batches.next()).rejects.toBeInstanceOf(AppError);
    await vi.waitFor(() => expect(isLetGo).toBe(true));
  });
});
