import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { newId } from '../../../kernel/ids.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import type { WriteResult } from '../../../platform/database/index.js';
import { safeError } from '../../../platform/observability/index.js';
import { CellDirectory, EVERY_CELL } from '../../cell-directory/index.js';
import { accountErrors } from '../domain/account.errors.js';
import { IDENTITY_KINDS, type Identity, type IdentityKind } from '../domain/identity.js';

/** Names that were claimed together; ends with the transaction that takes them. */
export interface NameClaim {
  id: number;
  names: number;
}

/** A note of a claim, or of a name that was given up. */
export interface ClaimNote extends Identity {
  claim: number;
}

const STAFF: ReadonlySet<string | null | undefined> = new Set(['super', 'admin']);

/**
 * Keeps names unique over all cells (docs/decisions/0041). Names are claimed in the directory before the transaction that
 * takes them; the claim is noted in this database before that, and the transaction removes the note. What stays of a note
 * the sweeper settles. Without `CELL` all of it is nothing.
 */
@Injectable()
export class NameClaims {
  private readonly cell: string | undefined;
  private readonly logger = new Logger('Directory');

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly directory: CellDirectory,
    @Inject(ENVIRONMENT) { CELL }: Environment,
  ) {
    this.cell = CELL;
  }

  /** Which names other cells have. @throws AppError unavailable without the directory */
  async takenElsewhere(identities: readonly Identity[], userType?: string | null): Promise<IdentityKind[]> {
    if (this.cell === undefined) return [];
    return kindsElsewhere(identities, await this.holders(identities), this.scopeOf(this.cell, userType));
  }

  /**
   * To be called before the transaction that takes the names, which calls `end`, and behind whatever else may refuse them: a
   * claim that comes to nothing keeps other cells from the names until the sweeper has seen to it.
   * @param userType of the account: names of staff may stand in every cell
   * @throws AppError conflict with the text of the first name that another cell has; unavailable without the directory
   */
  async claim(identities: readonly Identity[], userType?: string | null): Promise<NameClaim | null> {
    if (this.cell === undefined || identities.length === 0) return null;
    const claim = { id: newId(), names: identities.length };
    await this.note(this.dataSource.manager, identities, claim.id, 0);
    const scope = this.scopeOf(this.cell, userType);
    let holders = await this.claimed(identities, scope, claim);
    // another cell has given the name back between the two statements: a name is taken by a row alone
    if (holders.includes(null)) holders = await this.claimed(identities, scope, claim);
    const [kind] = kindsElsewhere(identities, holders, scope);
    if (kind) throw accountErrors.taken[kind]();
    if (holders.includes(null)) throw accountErrors.directoryAway();
    return claim;
  }

  /**
   * The names are taken with this transaction. @throws AppError unavailable when the claim has been given up meanwhile, as of a process
   * that stood still for a minute
   */
  async end(tx: EntityManager, claim: NameClaim | null): Promise<void> {
    if (claim === null) return;
    const { affectedRows } = await tx.query<WriteResult>('DELETE FROM name_claims WHERE claim = ? AND looks = 0', [
      claim.id,
    ]);
    if (affectedRows !== claim.names) throw accountErrors.directoryAway();
  }

  /** The names are free with this transaction; the sweeper tells the directory. */
  async giveUp(tx: EntityManager, identities: readonly Identity[]): Promise<void> {
    if (this.cell !== undefined) await this.note(tx, identities, newId(), 1);
  }

  /** @returns the cells that have the names then; null = none */
  private async claimed(identities: readonly Identity[], scope: string, { id }: NameClaim): Promise<(string | null)[]> {
    await this.asked(() => this.directory.claim(identities, scope, id));
    return this.holders(identities);
  }

  private holders(identities: readonly Identity[]): Promise<(string | null)[]> {
    return this.asked(() => Promise.all(identities.map((name) => this.directory.cellOf(name))));
  }

  private async note(
    manager: EntityManager,
    identities: readonly Identity[],
    id: number,
    looks: number,
  ): Promise<void> {
    if (identities.length === 0) return;
    await manager.query(
      `INSERT INTO name_claims (claim, kind, value, looks, created_at)
       VALUES ${identities.map(() => '(?, ?, ?, ?, UTC_TIMESTAMP(3))').join(', ')}`,
      identities.flatMap(({ kind, value }) => [id, kind, value, looks]),
    );
  }

  private scopeOf(cell: string, userType: string | null | undefined): string {
    return STAFF.has(userType) ? EVERY_CELL : cell;
  }

  private async asked<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (error) {
      this.logger.error({ err: safeError(error) }, 'the directory of accounts does not answer');
      throw accountErrors.directoryAway();
    }
  }
}

/** Of which of the names a row says that others have it. */
function kindsElsewhere(
  identities: readonly Identity[],
  holders: readonly (string | null)[],
  scope: string,
): IdentityKind[] {
  const taken = identities.filter((_, index) => (holders[index] ?? scope) !== scope);
  return IDENTITY_KINDS.filter((kind) => taken.some((name) => name.kind === kind));
}
