import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { newId } from '../../../kernel/ids.js';
import { PeriodicTask } from '../../../platform/concurrency/index.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { again, type WriteResult } from '../../../platform/database/index.js';
import { DutyGate } from '../../../platform/duties/index.js';
import { safeError } from '../../../platform/observability/index.js';
import { CellDirectory } from '../../cell-directory/index.js';
import type { ClaimNote } from './name-claims.js';

const EVERY_MS = 30_000;
/** Longer than a registration takes. One that takes longer fails, and no name is lost or doubled by it. */
const SETTLED_AFTER_SECONDS = 60;
const AT_ONCE = 500;

/** Tells the directory of names that were claimed in vain or given up, and forgets the notes of them. */
@Injectable()
export class NameClaimSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Directory');
  private readonly task = new PeriodicTask(
    EVERY_MS,
    async () => {
      if (await this.gate.isMine('name-claims', EVERY_MS)) await this.sweep();
    },
    (error) => this.logger.warn({ err: safeError(error) }, 'claims of names could not be settled'),
  );

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly directory: CellDirectory,
    private readonly gate: DutyGate,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  onApplicationBootstrap(): void {
    if (this.environment.CELL !== undefined) this.task.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.task.stop();
  }

  /** Settles notes that are older than a registration takes. @returns how many */
  async sweep(olderThanSeconds = SETTLED_AFTER_SECONDS): Promise<number> {
    let settled = 0;
    for (;;) {
      const notes = await this.dataSource.query<ClaimNote[]>(
        `SELECT claim, kind, value FROM name_claims WHERE created_at <= UTC_TIMESTAMP(3) - INTERVAL ? SECOND
         ORDER BY created_at LIMIT ${AT_ONCE}`,
        [olderThanSeconds],
      );
      for (const note of notes) await this.settle(note, this.environment.CELL ?? '');
      settled += notes.length;
      // claims may come faster than one part of them in each period
      if (notes.length < AT_ONCE || this.task.isStopped) return settled;
    }
  }

  /**
   * The directory first: a claim that comes later changes the row again, and is left alone. Then the note is marked, so
   * that its transaction cannot commit any more; the mark is a write, behind which a cluster shows every note that was
   * there before. Only then is it looked, in one statement, whether the name is taken or wanted here. A name that is not, and
   * was claimed again all the same, another sweep or a new claim is at: the note stays, and it is looked once more.
   */
  private async settle(note: ClaimNote, cell: string): Promise<void> {
    const name = { kind: note.kind, value: note.value };
    const claim = newId();
    const isOurs = await this.directory.adopt(name, cell, claim);
    if (!(await this.mark(note))) return; // its transaction has come about
    if (isOurs && !(await this.isHeld(note)) && !(await this.directory.giveBack(name, cell, claim))) return;
    await this.dataSource.query(again('DELETE FROM name_claims WHERE claim = ? AND kind = ?'), [note.claim, note.kind]);
  }

  private async mark({ claim, kind }: ClaimNote): Promise<boolean> {
    const { affectedRows } = await this.dataSource.query<WriteResult>(
      again('UPDATE name_claims SET looks = looks + 1 WHERE claim = ? AND kind = ?'),
      [claim, kind],
    );
    return affectedRows > 0;
  }

  private async isHeld({ kind, value }: ClaimNote): Promise<boolean> {
    const [found] = await this.dataSource.query<{ held: number | string }[]>(
      `SELECT EXISTS (SELECT 1 FROM login_identities WHERE kind = ? AND value = ?)
         OR EXISTS (SELECT 1 FROM name_claims WHERE kind = ? AND value = ? AND looks = 0) AS held`,
      [kind, value, kind, value],
    );
    return Number(found?.held) !== 0;
  }
}
