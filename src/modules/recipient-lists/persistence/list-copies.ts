import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import { listErrors } from '../recipient-lists.errors.js';
import { Leftovers, LEASE_MS, LISTS, WRITERS_FENCE } from './leftovers.js';
import { ListMembers } from './list-members.js';
import { ListStore, type NamedList, type NewList } from './list-store.js';
import type { Reading } from './readings.js';

const MEMBERS_A_STEP = 5_000;

/** Copies lists in bounded steps: the new one is seen when it is whole, or not at all. */
@Injectable()
export class ListCopies {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly lists: ListStore,
    private readonly members: ListMembers,
    private readonly leftovers: Leftovers,
  ) {}

  /**
   * @param alongside further writes of the transaction from which on the copy is there
   * @returns its id
   * @throws AppError too_many, invalid `At most 1000 lists are allowed` or beyond STORAGE_PER_ACCOUNT, not_found, conflict `List is being changed`
   */
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
