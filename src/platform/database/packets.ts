import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { PoolConnection } from 'mysql2';
import { DataSource, type DataSourceOptions, type EntityManager } from 'typeorm';
import { LateDataSource } from './data-source.js';
import { faultOutcome, isDuplicateKey, isRefusedByConstraint } from './faults.js';
import { connectionOf, doubled, QuotedText } from './rows.js';
import { untilDone, type WrittenRow } from './transaction.js';

/** A write that needs no answer: it can run in a transaction or in a packet. */
export interface Statement {
  sql: string;
  /** of its placeholders, in order; an array becomes a list */
  values: readonly unknown[];
}

/** Runs statements one by one in the caller's transaction. */
export async function execute(tx: EntityManager, statements: Iterable<Statement>): Promise<void> {
  for (const statement of statements) {
    partsOf(statement);
    await tx.query(statement.sql, [...statement.values]);
  }
}

/** The text between the placeholders. @throws TypeError for too few or too many values, which mysql2 would not notice */
function partsOf({ sql, values }: Statement): string[] {
  const parts = sql.split('?');
  if (parts.length !== values.length + 1) throw new TypeError(`${values.length} values for: ${sql}`);
  return parts;
}

/** UTF-16 units, each of at most three bytes: below MariaDB's packet of 16 MB. */
const LONGEST = 4_000_000;

/** The statements are too long for one packet: use a transaction. */
export class PacketTooLong extends Error {
  override readonly name = 'PacketTooLong';
}

/** Joins statements into the text of one transaction. @throws PacketTooLong; TypeError for a value that has no literal */
function packetText(statements: readonly Statement[]): string {
  let text = 'START TRANSACTION';
  for (const statement of statements) {
    text += ';\n';
    for (const [place, part] of partsOf(statement).entries()) {
      text += place === 0 ? part : literal(statement.values[place - 1]) + part;
      if (text.length > LONGEST) throw new PacketTooLong(`A packet of over ${LONGEST} characters`);
    }
  }
  return `${text};\nCOMMIT`;
}

/** A literal that means the same under every `sql_mode`. */
function literal(value: unknown): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return textLiteral(value);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (value instanceof QuotedText) return textLiteral(value.text);
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString('hex')}'`;
  if (value instanceof Date) return `'${value.toISOString().slice(0, -1).replace('T', ' ')}'`;
  if (Array.isArray(value) && value.length > 0) return value.map(literal).join(', ');
  throw new TypeError(`No literal for ${typeof value}`);
}

/** `sql_mode` decides what a backslash means in a quoted text, but not in a hexadecimal one. */
const textLiteral = (text: string): string =>
  /[\\\0]/.test(text) ? `_utf8mb4 X'${Buffer.from(text).toString('hex')}'` : `'${doubled(text, "'")}'`;

/** Two groups at once, and their retries. */
const CONNECTIONS = 4;

/** Sends transactions of many statements in one round trip, over connections of its own: only these take several at once. */
@Injectable()
export class Packets implements OnApplicationShutdown {
  private readonly source: LateDataSource;

  constructor(@InjectDataSource() readonly dataSource: DataSource) {
    const extra: unknown = dataSource.options.extra;
    const own = { ...(extra as object), maxIdle: CONNECTIONS - 1, multipleStatements: true };
    this.source = new LateDataSource({ ...dataSource.options, poolSize: CONNECTIONS, extra: own } as DataSourceOptions);
  }

  /** @param sent called once the packet may reach the server */
  async send(text: string, sent: () => unknown): Promise<void> {
    const connection = await connectionOf(await this.source.get());
    sent();
    const error = await ask(connection, text);
    // The transaction may be open: the next START TRANSACTION would commit it.
    if (error && (faultOutcome(error) === 'unknown' || (await ask(connection, 'ROLLBACK')))) connection.destroy();
    else connection.release();
    if (error) throw error;
  }

  onApplicationShutdown(): Promise<void> {
    return this.source.close();
  }
}

const ask = (connection: PoolConnection, sql: string): Promise<Error | null> =>
  new Promise((resolve) => {
    connection.query(sql, (error) => resolve(error));
  });

interface Packet<T> {
  statements: readonly Statement[];
  /** what the transaction returns */
  result: T;
}

/**
 * Like `inTransaction` for statements that need no answers, in one round trip. `build` makes new ids at each call, and the
 * first statement inserts them. After a lost connection the same packet is sent again: a late first copy and the second exclude
 * each other. @param committed a row that only this packet writes @throws PacketTooLong; CommitUnknown
 */
export function inPacket<T>(
  packets: Packets,
  build: () => Packet<T>,
  committed: (result: T) => WrittenRow,
): Promise<T> {
  let open: Packet<T> | null = null;
  return untilDone(packets.dataSource, async () => {
    const packet: Packet<T> = open ?? build();
    const text = packetText(packet.statements);
    const sending = { isBegun: false };
    try {
      await packets.send(text, () => (sending.isBegun = true));
      return { result: packet.result };
    } catch (error) {
      const outcome = faultOutcome(error);
      const isOver = !sending.isBegun || outcome === 'lost race' || isRefusedByConstraint(error);
      const sent = open || !isOver ? { result: packet.result } : null;
      if (isDuplicateKey(error)) open = null;
      else if (!isOver) open = packet;
      return { error, outcome, sent, lost: { committed } };
    }
  });
}
