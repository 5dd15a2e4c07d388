import { crc32, deflateRawSync } from 'node:zlib';
import { workbookSpool } from '../../src/platform/spreadsheets/index.js';

/** A cell as a sheet holds it: a shared or own text, a number as written, or raw XML. */
export type Cell = string | number | { xml: string } | null;

export interface WorkbookParts {
  rows?: readonly (readonly Cell[])[];
  /** XML of the sheet instead of `rows` */
  sheet?: string;
  /** sheets before it, hidden */
  hidden?: number;
  /** formats of cells: `s="1"` is the first */
  formats?: readonly string[];
  date1904?: boolean;
  inline?: boolean;
  /** other parts, by path */
  more?: Readonly<Record<string, string>>;
  /** parts that are not there */
  without?: readonly string[];
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATED = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const letters = (column: number): string =>
  (column >= 26 ? String.fromCharCode(64 + Math.floor(column / 26)) : '') + String.fromCharCode(65 + (column % 26));

/** A workbook (.xlsx) as Excel writes it. */
export function workbook({
  rows = [],
  hidden = 0,
  formats = [],
  inline = false,
  ...parts
}: WorkbookParts): Buffer<ArrayBuffer> {
  const texts: string[] = [];
  const cellOf = (cell: Cell, row: number, column: number): string => {
    const at = `r="${letters(column)}${row}"`;
    if (cell === null) return '';
    if (typeof cell === 'number') return `<c ${at}><v>${cell}</v></c>`;
    if (typeof cell === 'object') return cell.xml.replace('<c', `<c ${at}`);
    if (inline) return `<c ${at} t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`;
    const index = texts.push(cell) - 1;
    return `<c ${at} t="s"><v>${index}</v></c>`;
  };
  const data = rows.map(
    (cells, index) => `<row r="${index + 1}">${cells.map((cell, at) => cellOf(cell, index + 1, at)).join('')}</row>`,
  );
  const names = Array.from({ length: hidden + 1 }, (_, index) => index + 1);
  const sheets = names.map(
    (n) => `<sheet name="Sheet${n}" sheetId="${n}"${n <= hidden ? ' state="hidden"' : ''} r:id="rId${n}"/>`,
  );
  const relations = names.map(
    (n) => `<Relationship Id="rId${n}" Type="${RELATED}/worksheet" Target="worksheets/sheet${n}.xml"/>`,
  );
  const others = ['styles', 'sharedStrings'].map(
    (n) => `<Relationship Id="${n}" Type="${RELATED}/${n}" Target="/xl/${n}.xml"/>`,
  );
  const codes = formats.map((code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${escaped(code)}"/>`);
  const styles = [
    '<xf numFmtId="0"/>',
    ...formats.map((_, index) => `<xf numFmtId="${164 + index}"/>`),
    '<xf numFmtId="14"/>',
  ];
  const sheet = parts.sheet ?? `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>${data.join('')}</sheetData></worksheet>`;
  const files: Record<string, string> = {
    '[Content_Types].xml': `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
    '_rels/.rels': `${HEAD}<Relationships><Relationship Id="rId1" Type="${RELATED}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATED}"><workbookPr${parts.date1904 ? ' date1904="1"' : ''}/><sheets>${sheets.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${HEAD}<Relationships>${[...relations, ...others].join('')}</Relationships>`,
    [`xl/worksheets/sheet${hidden + 1}.xml`]: sheet,
    'xl/styles.xml': `${HEAD}<styleSheet xmlns="${MAIN}"><numFmts>${codes.join('')}</numFmts><cellXfs>${styles.join('')}</cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `${HEAD}<sst xmlns="${MAIN}">${texts.map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`).join('')}</sst>`,
    ...parts.more,
  };
  const without = new Set(parts.without);
  return zipped(Object.fromEntries(Object.entries(files).filter(([path]) => !without.has(path))));
}

/** An archive of these files. */
export function zipped(files: Readonly<Record<string, string | Buffer>>): Buffer<ArrayBuffer> {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of Object.entries(files)) {
    const name = Buffer.from(path);
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x800, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(bytes.length, 18);
    fields.writeUInt16LE(name.length, 22);
    bodies.push(Buffer.from('PK\x03\x04'), fields, name, packed);
    const more = Buffer.alloc(14);
    more.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02'), Buffer.from([20, 0]), fields, more, name);
    offset += 4 + fields.length + name.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  const count = Object.keys(files).length;
  end.writeUInt16LE(count, 4);
  end.writeUInt16LE(count, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...bodies, listed, Buffer.from('PK\x05\x06'), end]);
}

/** Takes the room of this process for workbooks. @returns gives it back */
export async function fillSpool(): Promise<() => Promise<void>> {
  const MB = 1024 * 1024;
  let free = (): void => undefined;
  const freed = new Promise<void>((resolve) => (free = resolve));
  const chunk = Buffer.alloc(MB);
  const bytes = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
    while (workbookSpool.bytes < 256 * MB) yield await Promise.resolve(chunk);
    await freed;
  };
  const nothing = (): AsyncIterable<never> => (async function* () {})();
  const taken = workbookSpool.with(bytes(), () => new Error('no room'), nothing).next();
  while (workbookSpool.bytes < 256 * MB) await new Promise((resolve) => setTimeout(resolve, 5));
  return async () => {
    free();
    await taken;
  };
}
