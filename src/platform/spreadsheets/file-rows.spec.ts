import fc from 'fast-check';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { workbook, type WorkbookParts, zipped } from '../../../test/support/workbooks.js';
import { type FileFaults, FileRows, type TableFaults } from './file-rows.js';
import { workbookSpool } from './workbook-spool.js';

const fault = (name: string) => (row?: number) => new Error(row === undefined ? name : `${name} ${row}`);
const FAULTS = Object.fromEntries(
  ['tooLarge', 'noText', 'busy', 'empty', 'longHeader', 'quotes', 'noWorkbook', 'unpacked', 'longRow'].map((name) => [
    name,
    fault(name),
  ]),
) as unknown as FileFaults & TableFaults;

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += size) {
    await Promise.resolve();
    yield bytes.subarray(at, at + size);
  }
}

async function read(
  content: string | Uint8Array,
  size = 65_536,
  table: TableFaults | null = FAULTS,
): Promise<{ rows: string[][]; file: FileRows }> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const isKnown = (cell: string): boolean => cell === 'phone';
  const file = new FileRows(pieces(bytes, size), { mostBytes: 100_000_000, isKnown, faults: FAULTS, table });
  const rows: string[][] = [];
  for await (const row of file.read()) rows.push([...row]);
  return { rows, file };
}

const swapped = (bytes: Buffer): Buffer => Buffer.from(bytes).swap16();
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
const TEXT = 'phone;name\r\n919876543210;Müller\r\n';
const ROWS = [
  ['phone', 'name'],
  ['919876543210', 'Müller'],
];

describe('the encoding of a text', () => {
  it.each([
    ['utf-8', Buffer.from(TEXT)],
    ['utf-8', Buffer.from(`\uFEFF${TEXT}`)],
    ['utf-16le', utf16(`\uFEFF${TEXT}`)],
    ['utf-16be', swapped(utf16(`\uFEFF${TEXT}`))],
    ['utf-16le', utf16(TEXT)],
    ['utf-16be', swapped(utf16(TEXT))],
    ['windows-1252', latin(TEXT)],
  ])('%s (%#) is read, wherever it is cut', async (encoding, bytes) => {
    for (const size of [1, 2, 3, 5, 7, 1_000]) {
      const { rows, file } = await read(bytes, size);
      expect(rows).toEqual(ROWS);
      expect(file).toMatchObject({ format: 'csv', encoding, sheet: null });
    }
  });

  it('is Windows-1252 with its own signs, also far behind and at the end of the file', async () => {
    const far = `phone;name\n${'919876543210;Asha\n'.repeat(20_000)}919876543211;`;
    const { rows, file } = await read(Buffer.concat([latin(far), Buffer.from([0x80, 0x20, 0x93, 0x78, 0x94, 0xe9])]));
    expect(rows.at(-1)).toEqual(['919876543211', '€ “x”é']);
    expect(file.encoding).toBe('windows-1252');
  });

  it('is none where UTF-8 breaks, where a zero stands, and of half a character', async () => {
    const broken = Buffer.concat([Buffer.from('phone;name\n919876543210;Müller\n919876543211;'), Buffer.from([0xff])]);
    for (const size of [1, 7, 1_000]) await expect(read(broken, size)).rejects.toThrow('noText');
    await expect(read('phone;name\n9198765432\u00001\n')).rejects.toThrow('noText');
    await expect(read(Buffer.concat([utf16(`\uFEFF${TEXT}`), Buffer.from([0x41])]))).rejects.toThrow('noText');
    await expect(read(Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0, 0, 0]))).rejects.toThrow(
      'noText',
    );
    for (const nothing of ['', '\uFEFF']) await expect(read(nothing)).rejects.toThrow('empty');
  });

  it('comes back as it was written', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).filter((cell) => !/[\0"]/.test(cell));
    const way = fc.constantFrom(
      (given: string) => Buffer.from(given),
      (given: string) => utf16(`\uFEFF${given}`),
      (given: string) => swapped(utf16(`\uFEFF${given}`)),
    );
    await fc.assert(
      fc.asyncProperty(text, way, fc.integer({ min: 1, max: 9 }), async (cell, encoded, size) => {
        const { rows } = await read(encoded(`phone,name\n1,"${cell}"\n`), size);
        expect(rows[1]).toEqual(['1', cell]);
      }),
      { numRuns: 300, seed: 20_261_126 },
    );
  });
});

describe('the separator', () => {
  it.each([
    ['a,b,c\n', ','],
    ['a;b;c\n', ';'],
    ['a\tb\n', '\t'],
    ['a\n', ','],
    ['a;b\n1,2,3,4\n', ';'],
    ['"a;b;c",d\n', ','],
    ['a,b;c\n', ','],
    ['a;b\tc\n', ';'],
    ['"first\nline, second";b;c\n', ';'],
    // the rows decide between two of the header
    ['name, first;phone\nDoe, Jane;1\nRoe, Jim, Jr.;2\n', ';'],
    ['x, y;z\n"1,2";3\n4;5\n', ';'],
    ['a;b,c\n1;2,5\n3;4\n', ';'],
    ['a,b;c\r\n1,2\r\n3,4;5\r\n', ','],
    // and one that gives the column of the number its name comes first
    ['phone;a,b,c\n1;2,3,4\n', ';'],
    ['\n\na;b\n1;2\n', ';'],
  ])('of %j is %j', async (text, separator) => {
    const { rows } = await read(text);
    const again = await read(`sep=${separator}\n${text}`);
    expect(rows).toEqual(again.rows);
    expect((await read(text, 1)).rows).toEqual(rows);
  });

  it.each(['sep=|\r\n', '\uFEFFsep=|\n', 'SEP=|\n', '"sep=|"\n', 'sep=| \n'])(
    'is named by %j, which is no row',
    async (line) => {
      const { rows } = await read(`${line}phone|name, first\n919876543210|a;b\n`);
      expect(rows).toEqual([
        ['phone', 'name, first'],
        ['919876543210', 'a;b'],
      ]);
    },
  );

  it('is named in UTF-16 too', async () => {
    expect((await read(utf16(`\uFEFFsep=;\r\n${TEXT}`))).rows).toEqual(ROWS);
  });
});

const sheetOf = (data: string): string => `<worksheet><sheetData>${data}</sheetData></worksheet>`;
const book = (parts: WorkbookParts): Promise<{ rows: string[][]; file: FileRows }> => read(workbook(parts), 1_000);

describe('a workbook', () => {
  const folder = mkdtempSync(join(tmpdir(), 'workbooks-'));
  const folders = (): string[] => readdirSync(folder);
  beforeAll(() => vi.stubEnv('TMPDIR', folder));
  afterAll(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  it('is read by its first visible sheet, whatever its cells are', async () => {
    const rows = [
      ['phone', 'name', 'when', 'amount', null],
      [919_876_543_210, 'Asha & "R" <x>', { xml: '<c s="1"><v>46352</v></c>' }, 1.1],
      [
        { xml: '<c><v>9.1987654321100006E+11</v></c>' },
        ' Ravi ',
        { xml: '<c s="2"><v>46352.395833333336</v></c>' },
        { xml: '<c><v>0.30000000000000004</v></c>' },
      ],
      [
        { xml: '<c t="str"><f>A2</f><v>919876543212</v></c>' },
        { xml: '<c t="b"><v>1</v></c>' },
        { xml: '<c s="3"><v>46352</v></c>' },
        { xml: '<c t="e"><v>#N/A</v></c>' },
      ],
    ];
    const { rows: found, file } = await book({ rows, hidden: 1, formats: ['dd/mm/yyyy', 'yyyy-mm-dd hh:mm'] });
    expect(found).toEqual([
      ['phone', 'name', 'when', 'amount'],
      ['919876543210', 'Asha & "R" <x>', '2026-11-26', '1.1'],
      ['919876543211', 'Ravi', '2026-11-26 09:30:00', '0.3'],
      ['919876543212', 'TRUE', '2026-11-26', ''],
    ]);
    expect(file).toMatchObject({ format: 'xlsx', encoding: null, sheet: 'Sheet2' });
  });

  it('has its texts in the cells, in runs, with escapes and without positions', async () => {
    expect(
      (
        await book({
          rows: [
            ['phone', 'näme'],
            ['91987', 'ü'],
          ],
          inline: true,
        })
      ).rows,
    ).toEqual([
      ['phone', 'näme'],
      ['91987', 'ü'],
    ]);
    const run =
      '<c t="inlineStr"><is><r><t>a</t></r><r><t xml:space="preserve"> b</t></r><rPh><t>no</t></rPh></is></c>';
    const text = '<c t="inlineStr"><is><t>x_x000D__x000A_y</t></is></c>';
    const sheet = sheetOf(`<row>${run}${text}</row><row/><row><c/><c><v>5</v></c></row>`);
    expect((await book({ sheet })).rows).toEqual([['a b', 'x\r\ny'], [], ['', '5']]);
  });

  it('counts empty rows between others, and none at its ends; short rows are as wide as the header', async () => {
    const row = (at: number, text: string): string => `<row r="${at}"><c r="A${at}"><v>${text}</v></c></row>`;
    const header = '<row r="3"><c r="A3"><v>1</v></c><c r="C3"><v>3</v></c></row>';
    const sheet = sheetOf(
      `${row(1, '')}${header}${row(6, '2')}<row r="7"><c r="A7" s="1"/></row>${row(1_048_576, '')}`,
    );
    expect((await book({ sheet })).rows).toEqual([['1', '', '3'], [], [], ['2', '', '']]);
  });

  it('counts its dates from 1904 where it says so', async () => {
    const rows = [[{ xml: '<c s="1"><v>44890</v></c>' }, { xml: '<c s="1"><v>0.5</v></c>' }]];
    expect((await book({ rows, date1904: true })).rows).toEqual([['2026-11-26', '12:00:00']]);
  });

  it('is refused where it is none, broken, or has no sheet', async () => {
    const good = workbook({ rows: [['phone'], ['919876543210']] });
    const files = [
      zipped({ 'word/document.xml': '<x/>' }),
      good.subarray(0, good.length - 30),
      Buffer.concat([good.subarray(0, 200), Buffer.alloc(50, 7), good.subarray(250)]),
      workbook({ without: ['xl/workbook.xml'] }),
      workbook({ sheet: '<worksheet><sheetData><row>' }),
      workbook({ sheet: sheetOf('<row r="1048577"><c><v>1</v></c></row>') }),
      workbook({ more: { 'xl/workbook.xml': '<workbook><sheets/></workbook>' } }),
      // millions of open tags, or of attributes, would fit into a small file
      workbook({ sheet: '<a>'.repeat(65) }),
      workbook({ sheet: `<worksheet ${Array.from({ length: 257 }, (_, at) => `a${at}=""`).join(' ')}/>` }),
    ];
    for (const file of files) await expect(read(file)).rejects.toThrow('noWorkbook');
  });

  it('expands no entities of its own', async () => {
    const bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>';
    const sheet = `${bomb}${sheetOf('<row><c t="str"><v>&b;</v></c></row>')}`;
    await expect(book({ sheet })).rejects.toThrow('noWorkbook');
  });

  it('is refused by what it unpacks to: rows, shared texts and parts', async () => {
    const long = 'x'.repeat(70_000);
    await expect(book({ rows: [['phone'], [long]], inline: true })).rejects.toThrow('longRow 1');
    await expect(book({ rows: [['phone'], [long]] })).rejects.toThrow('unpacked');
    // 260 MB of blanks in some hundred KB
    const packed = workbook({ sheet: sheetOf(' '.repeat(260 * 1024 * 1024)) });
    expect(packed.length).toBeLessThan(1_000_000);
    await expect(read(packed)).rejects.toThrow('unpacked');
  }, 60_000);

  it('waits on disk in a bound that all share; what finds no room is refused', async () => {
    const MB = 1024 * 1024;
    const gates: (() => void)[] = [];
    const open = (megabytes: number): Promise<unknown> => {
      const gate = new Promise<void>((resolve) => gates.push(resolve));
      const bytes = async function* (): AsyncGenerator<Uint8Array> {
        yield Buffer.from('PK\x03\x04');
        for (let count = 0; count < megabytes; count++) yield Buffer.alloc(MB);
        await gate;
      };
      const file = new FileRows(bytes(), { mostBytes: 100 * MB, isKnown: () => false, faults: FAULTS, table: FAULTS });
      return (async () => {
        for await (const row of file.read()) void row;
      })().catch((error: unknown) => (error as Error).message);
    };
    const first = Array.from({ length: 4 }, () => open(63));
    await vi.waitUntil(() => workbookSpool.bytes >= 4 * 63 * MB, { timeout: 60_000 });
    expect(await open(63)).toBe('busy');
    const outcomes: unknown[] = [];
    const small = Array.from({ length: 20 }, () => open(1).then((outcome) => outcomes.push(outcome)));
    await vi.waitUntil(() => outcomes.length >= 17, { timeout: 60_000 });
    expect(new Set(outcomes)).toEqual(new Set(['busy']));
    expect(workbookSpool.bytes).toBeLessThanOrEqual(256 * MB);
    await vi.waitUntil(() => folders().length === 0, { timeout: 60_000 });
    for (const open of gates) open();
    await Promise.all(small);
    expect(await Promise.all(first)).toEqual(Array.from({ length: 4 }, () => 'noWorkbook'));
    expect(workbookSpool.bytes).toBe(0);
    expect((await book({ rows: [['phone'], ['919876543210']] })).rows).toHaveLength(2);
  }, 60_000);

  it('leaves nothing on disk', async () => {
    await book({ rows: [['phone'], ['919876543210']] });
    await expect(read(zipped({ x: 'y' }))).rejects.toThrow('noWorkbook');
    expect(folders()).toEqual([]);
  });
});
