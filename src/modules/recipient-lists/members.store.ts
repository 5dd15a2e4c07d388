import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import type { Listed, Page } from '../../kernel/lists.js';
import { personKey, spellingsOf } from '../../kernel/phone-numbers.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import {
  batchesOf,
  inListedOrder,
  inTransaction,
  jsonRows,
  listKeys,
  type WriteResult,
} from '../../platform/database/index.js';
import type { KeptRecipient } from './domain/recipient.js';
import { LEASE_MS, Leftovers, LISTS, WRITERS_FENCE } from './leftovers.store.js';
import { ListStore, type NamedList, type NewList } from './lists.store.js';
import type { Reading } from './readings.store.js';
import { listErrors } from './recipient-lists.errors.js';
import { ListMemberEntity } from './tables.js';
import { recipientBytes, ROWS_A_READ, variablesBytes } from './uploads.store.js';

export interface AddedMembers {
  added: number;
  /** numbers already on the list, or repeated in the request; ascending within a part */
  duplicates: readonly string[];
}

const NUMBER = "number VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin PATH '$[0]'";

/** The table of members of lists. */
@Injectable()
export class ListMembers {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly lists: ListStore,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'MEMBERS_PER_LIST'>,
  ) {}

  /**
   * Adds recipients, or updates the variables of known numbers: the last variables given win, absent ones change nothing.
   * @throws AppError not_found, conflict `List is frozen`, `List is being changed`, invalid beyond the limits
   */
  async add(
    tx: EntityManager,
    list: NamedList,
    recipients: readonly KeptRecipient[],
    fence: number | null = null,
  ): Promise<AddedMembers> {
    const { accountId, id } = list;
    const members = await this.lists.change(tx, accountId, id, fence);
    const most = this.environment.MEMBERS_PER_LIST;
    const { last, twice } = onceEach(recipients);
    const duplicates: string[] = [];
    let [added, bytes] = [0, 0];
    for (const given of batchesOf(last, ({ variables }) => variables?.length ?? 0)) {
      const known = await this.known(tx, id, given);
      const batch = asKept(given, known);
      const again = batch.filter(({ number }) => known.has(number));
      const rows = jsonRows(batch.map(({ number, variables }) => [number, variables]));
      added += batch.length - again.length;
      duplicates.push(...again.map(({ number }) => number));
      bytes += batch.reduce((sum, recipient) => sum + growth(recipient, known), 0);
      if (members + added > most) throw listErrors.tooManyMembers(most);
      await tx.query(
        `INSERT INTO recipient_list_members (list_id, number, variables)
         SELECT ?, j.number, j.given FROM JSON_TABLE(?, '$[*]' COLUMNS (${NUMBER},
           given TEXT CHARACTER SET utf8mb4 PATH '$[1]')) j
         ON DUPLICATE KEY UPDATE variables = COALESCE(VALUES(variables), variables)`,
        [id, rows],
      );
    }
    await this.lists.count(tx, list, members + added, bytes);
    return { added, duplicates: [...duplicates, ...twice] };
  }

  /** @returns false when the number is not on the list @throws AppError as `add` */
  async remove(tx: EntityManager, list: NamedList, number: string): Promise<boolean> {
    const members = await this.lists.change(tx, list.accountId, list.id);
    const found = await tx.findBy(ListMemberEntity, { listId: list.id, number: In(spellingsOf(number)) });
    const member = found.find((each) => each.number === number) ?? found[0];
    if (!member) return false;
    await tx.delete(ListMemberEntity, { listId: list.id, number: member.number });
    await this.lists.count(tx, list, members - 1, -recipientBytes(member));
    return true;
  }

  /** A page of members by number. @param beginning first digits of the numbers; '' = all */
  async part(id: number, beginning: string, page: Page): Promise<Listed<ListMemberEntity>> {
    // ':' follows '9' in ASCII, so it is the upper bound of the prefix
    const search = beginning === '' ? '' : ' AND number >= ? AND number < ?';
    const values = beginning === '' ? [id] : [id, beginning, `${beginning}:`];
    const ranges = [{ where: `list_id = ?${search}`, values }];
    const list = { table: 'recipient_list_members', index: 'PRIMARY', key: 'number', order: 'ASC', ranges } as const;
    const numbers = await listKeys<string>(this.dataSource, list, page);
    const rows = await this.dataSource
      .getRepository(ListMemberEntity)
      .findBy({ listId: id, number: In(numbers.items) });
    return inListedOrder(numbers, rows, ({ number }) => number);
  }

  after(id: number, number: string): Promise<KeptRecipient[]> {
    return this.dataSource.query(
      `SELECT number, variables FROM recipient_list_members WHERE list_id = ? AND number > ?
       ORDER BY number LIMIT ${ROWS_A_READ}`,
      [id, number],
    );
  }

  /** Those of the numbers that are on the list, in either spelling, with the bytes of their variables. */
  private async known(
    tx: EntityManager,
    id: number,
    recipients: readonly KeptRecipient[],
  ): Promise<ReadonlyMap<string, number>> {
    const rows = jsonRows(recipients.flatMap(({ number }) => spellingsOf(number).map((spelling) => [spelling])));
    const known = await tx.query<{ number: string; bytes: number }[]>(
      `SELECT STRAIGHT_JOIN m.number, COALESCE(LENGTH(m.variables), 0) AS bytes FROM JSON_TABLE(?, '$[*]' COLUMNS (${NUMBER})) j
       JOIN recipient_list_members m FORCE INDEX (PRIMARY) ON m.list_id = ? AND m.number = j.number`,
      [rows, id],
    );
    return new Map(known.map(({ number, bytes }) => [number, Number(bytes)]));
  }

  /** Copies the members after a number, some thousand. @returns how many, and the last one's number */
  async copy(
    tx: EntityManager,
    from: number,
    to: number,
    after: string,
    most: number,
  ): Promise<{ copied: number; last: string }> {
    const { affectedRows }: WriteResult = await tx.query(
      `INSERT INTO recipient_list_members (list_id, number, variables)
       SELECT ?, number, variables FROM recipient_list_members WHERE list_id = ? AND number > ?
       ORDER BY number LIMIT ?`,
      [to, from, after, most],
    );
    const [row] = await tx.query<{ last: string | null }[]>(
      'SELECT MAX(number) AS last FROM recipient_list_members WHERE list_id = ?',
      [to],
    );
    return { copied: affectedRows, last: row?.last ?? after };
  }
}

/** Bytes by which a recipient grows the list; a known one keeps its row, and its variables unless new ones come. */
function growth(recipient: KeptRecipient, known: ReadonlyMap<string, number>): number {
  const before = known.get(recipient.number);
  if (before === undefined) return recipientBytes(recipient);
  return recipient.variables === null ? 0 : variablesBytes(recipient.variables) - before;
}

/** Under the number by which the list has a person, in the order of the key. */
function asKept(recipients: readonly KeptRecipient[], known: ReadonlyMap<string, number>): KeptRecipient[] {
  const kept = recipients.map((recipient) => {
    const number = spellingsOf(recipient.number).find((spelling) => known.has(spelling));
    return number === undefined || number === recipient.number ? recipient : { ...recipient, number };
  });
  return kept.sort(byNumber);
}

const byNumber = (a: KeptRecipient, b: KeptRecipient): number => (a.number < b.number ? -1 : 1);

/** One recipient a person: the first number, the last variables, in the order of the key; `twice` lists the duplicates. */
function onceEach(recipients: readonly KeptRecipient[]): { last: KeptRecipient[]; twice: string[] } {
  const persons = new Map<string, KeptRecipient>();
  const twice: string[] = [];
  for (const recipient of recipients) {
    const { number, variables } = recipient;
    const person = personKey(number);
    const earlier = persons.get(person);
    if (earlier) twice.push(number);
    if (!earlier) persons.set(person, recipient);
    else if (variables !== null) persons.set(person, { ...recipient, number: earlier.number });
  }
  return { last: [...persons.values()].sort(byNumber), twice };
}

const MEMBERS_A_STEP = 5_000;

/** Copies lists in bounded steps; the new list stays hidden until it is complete. */
@Injectable()
export class ListCopies {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly lists: ListStore,
    private readonly members: ListMembers,
    private readonly leftovers: Leftovers,
  ) {}

  /** @param alongside more writes of the last transaction @returns the copy's id @throws AppError as ListStore create, hold */
  async copy(
    { accountId, id: from }: NamedList,
    list: NewList,
    alongside: (tx: EntityManager, id: number) => Promise<void>,
  ): Promise<number> {
    const { id, hold } = await inTransaction(this.dataSource, async (tx) => {
      const id = await this.lists.create(tx, accountId, list, false);
      const hold = await this.lists.hold(accountId, from, tx);
      await this.lists.countCopy(tx, { accountId, id: from }, id);
      return { id, hold };
    });
    let isKept = false;
    try {
      const copied = await this.copyAll(hold, id);
      await inTransaction(this.dataSource, async (tx) => {
        if (!(await this.lists.finish(tx, id, copied))) throw listErrors.changing();
        await alongside(tx, id);
      });
      isKept = true;
      return id;
    } finally {
      if (!isKept) await this.leftovers.abandon(LISTS, id);
    }
  }

  private async copyAll(hold: Reading, id: number): Promise<number> {
    let [copied, after] = [0, ''];
    for (;;) {
      const step = await inTransaction(this.dataSource, async (tx) => {
        const part = await this.members.copy(tx, hold.id, id, after, MEMBERS_A_STEP);
        await this.lists.keep(hold, tx);
        if (!(await LISTS.leases.renew(tx, [id], WRITERS_FENCE, LEASE_MS))) throw listErrors.changing();
        return part;
      });
      copied += step.copied;
      after = step.last;
      if (step.copied < MEMBERS_A_STEP) return copied;
    }
  }
}
