import fc from 'fast-check';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/kernel/ids.js';
import {
  dataSourceOptions,
  execute,
  inPacket,
  inTransaction,
  jsonRows,
  Packets,
  PacketTooLong,
  QuotedText,
  runsAgain,
  type Statement,
} from '../../src/platform/database/index.js';
import { CommitCable, type Cut } from '../support/commit-cable.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let packets: Packets;

beforeAll(async () => {
  database = await createTestDatabase();
  packets = new Packets(database.dataSource);
  await database.dataSource.query('CREATE TABLE written (id BIGINT PRIMARY KEY, text LONGTEXT NOT NULL)');
  await database.dataSource.query('CREATE TABLE counted (id BIGINT PRIMARY KEY, n INT NOT NULL, CHECK (n < 9))');
});
afterAll(async () => {
  await packets.onApplicationShutdown();
  await database.drop();
});

const send = (statements: readonly Statement[]): Promise<null> =>
  inPacket(
    packets,
    () => ({ statements, result: null }),
    () => ({ table: 'written', where: { id: 0 } }),
  );

describe('texts in a packet', () => {
  const TEXTS = 100_000;
  const A_PACKET = 2_000;
  /** Characters that mean something in SQL, in a character set or to a terminal. */
  const WORD = fc.constantFrom(
    ...'\'"\\\0\b\t\n\r\u001a\u001b%_;-#/*?:{}[]`@$ '.split(''),
    ...["\\'", "''", '\\\\', '-- ', '/*!99999 ', '*/', ';\nCOMMIT', "'; DROP TABLE written; -- ", '\u00bf\u005c\u0027'],
    ...['\ud83d', '\ude00', '\u{1F600}', 'é', '\u4e2d', '\u0e01', '\ufeff', '\u2028', '\u00a5', '\uff07', '\uffff'],
  );
  const text = fc
    .array(fc.oneof({ weight: 4, arbitrary: WORD }, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 12 })
    .map((some) => some.join(''));
  /** Bytes of a text as UTF-8, where half a character becomes U+FFFD. */
  const bytesOf = (each: string): string => Buffer.from(each).toString('hex');

  it.each(['', 'NO_BACKSLASH_ESCAPES,ANSI_QUOTES,PIPES_AS_CONCAT'])(
    'arrive byte for byte, whatever stands in them: sql_mode = %j',
    async (mode) => {
      const seed = Date.now();
      const some = fc.sample(text, { numRuns: TEXTS, seed });
      some.push(`${"'".repeat(90_001)}\\`, `${'\\'.repeat(90_001)}'`, '"'.repeat(90_001), 'é\0'.repeat(90_001));
      for (let from = 0; from < some.length; from += A_PACKET) {
        const part = some.slice(from, from + A_PACKET);
        await send([
          { sql: 'SET SESSION sql_mode = ?', values: [`STRICT_TRANS_TABLES,${mode}`] },
          { sql: 'DELETE FROM written', values: [] },
          {
            sql: `INSERT INTO written (id, text) VALUES ${part.map(() => '(?, ?)').join(',')}`,
            values: part.flatMap((each, id) => [id, id % 2 ? each : new QuotedText(each)]),
          },
          {
            sql: `INSERT INTO written (id, text) SELECT j.id + ?, j.text FROM JSON_TABLE(?, '$[*]' COLUMNS (
              id INT PATH '$[0]', text LONGTEXT CHARACTER SET utf8mb4 PATH '$[1]')) j`,
            values: [part.length, jsonRows(part.map((each, id) => [id, each]))],
          },
        ]);
        const rows = await database.dataSource.query<{ bytes: string }[]>(
          'SELECT HEX(text) AS bytes FROM written ORDER BY id',
        );
        const sent = [...part, ...part].map(bytesOf);
        const wrong = sent.findIndex((bytes, at) => bytes !== rows[at]?.bytes.toLowerCase());
        expect({ seed, wrong: wrong < 0 ? null : [sent[wrong], rows[wrong]], rows: rows.length }).toEqual({
          ...{ seed, wrong: null, rows: 2 * part.length },
        });
      }
    },
  );
});

describe('values in a packet', () => {
  it('are stored as a transaction stores them', async () => {
    await database.dataSource.query(
      `CREATE TABLE kinds (id BIGINT PRIMARY KEY, n DOUBLE NULL, at DATETIME(3) NULL, bytes BLOB NULL,
         word VARCHAR(9) CHARACTER SET ascii COLLATE ascii_bin NULL)`,
    );
    const at = new Date('2026-11-26T23:59:59.987Z');
    const rows = [
      [0, 0.1, at, Buffer.from([0, 39, 92, 255]), "it's"],
      [0, -5, null, Buffer.alloc(0), null],
      [0, 1e21, at, null, ''],
      [0, Number.MAX_SAFE_INTEGER, null, null, 'a\\b'],
    ];
    const insert = (first: number): Statement[] => [
      {
        sql: `INSERT INTO kinds (id, n, at, bytes, word) VALUES ${rows.map(() => '(?,?,?,?,?)').join(',')}`,
        values: rows.flatMap(([, ...others], place) => [first + place, ...others]),
      },
      { sql: 'UPDATE kinds SET n = n - ? WHERE id IN (?) AND word = ?', values: [-2, [first, first + 3], 'a\\b'] },
    ];
    await send(insert(0));
    await inTransaction(database.dataSource, (tx) => execute(tx, insert(100)));
    const stored = (first: number) =>
      database.dataSource.query('SELECT n, at, bytes, word FROM kinds WHERE id >= ? AND id < ? + 100 ORDER BY id', [
        first,
        first,
      ]);
    expect(await stored(0)).toEqual(await stored(100));
    expect(await stored(0)).toHaveLength(rows.length);
  });

  it.each([[undefined], [Number.NaN], [Infinity], [{ a: 1 }], [[]], [true], [new Date(Number.NaN)], [Symbol('x')]])(
    'are refused if they have no literal: %s',
    async (value) => {
      await expect(send([{ sql: 'INSERT INTO written VALUES (1, ?)', values: [value] }])).rejects.toThrow();
      await expect(send([{ sql: 'INSERT INTO written VALUES (1, ?)', values: [] }])).rejects.toThrow(TypeError);
    },
  );

  it('are refused if they are too long for one packet', async () => {
    const sql = 'INSERT INTO written VALUES (1, ?)';
    await expect(send([{ sql, values: ['x'.repeat(4_000_001)] }])).rejects.toBeInstanceOf(PacketTooLong);
  });
});

describe('a packet', () => {
  const cable = new CommitCable();
  let line: DataSource;
  let through: Packets;
  let observing: Connection;
  let id: number;
  let runs: number;

  beforeAll(async () => {
    line = await new DataSource(dataSourceOptions(await cable.plug(database.url), 4)).initialize();
    through = new Packets(line);
    observing = await createConnection(database.url);
  });
  afterAll(async () => {
    await observing.end();
    await through.onApplicationShutdown();
    await line.destroy();
    await cable.unplug();
  });
  beforeEach(async () => {
    id = newId();
    runs = 0;
    await database.dataSource.query('INSERT INTO counted VALUES (?, 0)', [id]);
  });

  const counted = async (): Promise<unknown> => {
    const [row] = await database.dataSource.query<{ n: number }[]>('SELECT n FROM counted WHERE id = ?', [id]);
    return row?.n;
  };
  const writtenRows = async (): Promise<number> =>
    (await database.dataSource.query<unknown[]>('SELECT 1 FROM written WHERE text = ?', [`of ${id}`])).length;
  /** Inserts a row of its own, then counts. */
  const count = (more: readonly Statement[] = []): Promise<number> =>
    inPacket(
      through,
      () => {
        runs++;
        const own = newId();
        const statements = [
          { sql: 'INSERT INTO written VALUES (?, ?)', values: [own, `of ${id}`] },
          { sql: 'UPDATE counted SET n = n + 1 WHERE id = ?', values: [id] },
          ...more,
        ];
        return { statements, result: own };
      },
      (own) => ({ table: 'written', where: { id: own } }),
    );

  const isAsked = (what: string) => async (): Promise<boolean> => {
    const [rows] = await observing.query<RowDataPacket[]>(
      'SELECT 1 FROM information_schema.processlist WHERE info LIKE ? AND id <> CONNECTION_ID()',
      [what],
    );
    return rows.length > 0;
  };

  it.each<[Cut[]]>([[['before']], [['after']], [['before', 'before', 'after']], [['before', 'before', 'before']]])(
    'is done once, whenever it is cut: %s',
    async (cuts) => {
      const before = cable.cutOff;
      cable.cutNext(...cuts);
      await count();
      expect({ cut: cable.cutOff - before, n: await counted(), rows: await writtenRows(), runs }).toEqual({
        ...{ cut: cuts.length, n: 1, rows: 1, runs: 1 },
      });
    },
  );

  it('is done once, though the first copy reaches the server after the second', async () => {
    cable.cutNext('late');
    await count();
    cable.deliver();
    await expect.poll(isAsked('START TRANSACTION%')).toBe(false);
    expect({ n: await counted(), rows: await writtenRows(), runs }).toEqual({ n: 1, rows: 1, runs: 1 });
  });

  it('is waited for, if its connection ends while the server executes it', async () => {
    const holding = await createConnection(database.url);
    await holding.query('START TRANSACTION');
    await holding.query('UPDATE counted SET n = n + 5 WHERE id = ?', [id]);
    const done = count();
    await expect.poll(isAsked('%UPDATE counted SET n = n + 1%')).toBe(true);
    cable.cutNow();
    await expect.poll(isAsked('%FROM written%LOCK IN SHARE MODE')).toBe(true);
    await holding.query('COMMIT');
    await done;
    await holding.end();
    expect({ n: await counted(), rows: await writtenRows(), runs }).toEqual({ n: 6, rows: 1, runs: 1 });
  });

  it.each([
    ['a duplicate key', 1062, 'INSERT INTO counted VALUES (?, 0), (5, 0), (5, 0)'],
    ['a CHECK', /CONSTRAINT/i, 'UPDATE counted SET n = 9 WHERE id = ?'],
    ['NOT NULL', 1048, 'INSERT INTO counted VALUES (?, NULL)'],
    ['the parser', 1064, 'SELECT FROM WHERE id = ?'],
  ])('leaves nothing when it is refused by %s, and its connection serves on', async (_, expected, sql) => {
    const fault: unknown = await count([{ sql, values: [sql.startsWith('INSERT') ? 7 : id] }]).catch(
      (error: unknown) => error,
    );
    if (typeof expected === 'number') expect(fault).toMatchObject({ errno: expected });
    else expect(fault).toMatchObject({ message: expect.stringMatching(expected) as string });
    expect({ n: await counted(), rows: await writtenRows(), runs }).toEqual({ n: 0, rows: 0, runs: 1 });
    await count();
    expect({ n: await counted(), rows: await writtenRows() }).toEqual({ n: 1, rows: 1 });
  });

  it('runs again with new ids when it loses a deadlock', async () => {
    const other = newId();
    await database.dataSource.query('INSERT INTO counted VALUES (?, 0)', [other]);
    const causes: string[] = [];
    const note = (cause: string) => causes.push(cause);
    runsAgain.on('again', note);
    const rival = await createConnection(database.url);
    await rival.query('START TRANSACTION');
    // Heavier than the packet, so that the server undoes the packet.
    await rival.query('INSERT INTO written VALUES ?', [Array.from({ length: 500 }, () => [newId(), 'heavy'])]);
    await rival.query('UPDATE counted SET n = n + 1 WHERE id = ?', [other]);
    const done = count([{ sql: 'UPDATE counted SET n = n + 1 WHERE id = ?', values: [other] }]);
    await expect.poll(isAsked('%UPDATE counted%')).toBe(true);
    await rival.query('UPDATE counted SET n = n + 1 WHERE id = ?', [id]);
    await rival.query('COMMIT');
    await rival.end();
    await done;
    runsAgain.off('again', note);
    expect(causes).toContain('1213');
    expect({ n: await counted(), rows: await writtenRows() }).toEqual({ n: 2, rows: 1 });
  });
});
