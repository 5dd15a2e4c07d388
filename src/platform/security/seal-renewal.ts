import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  SetMetadata,
} from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityMetadata } from 'typeorm';
import { Sealer } from './sealer.js';
import { again } from '../database/index.js';

const SEALED_COLUMNS = 'switchboard:sealed-columns';
const BATCH = 500;

/** Names the properties of an entity whose columns hold texts of the `Sealer`: they are sealed anew when its key changes. */
export const SealedColumns = (...properties: string[]): ClassDecorator => SetMetadata(SEALED_COLUMNS, properties);

const sealedColumnsOf = (target: unknown): string[] =>
  typeof target === 'function' ? ((Reflect.getMetadata(SEALED_COLUMNS, target) as string[] | undefined) ?? []) : [];

/**
 * Seals anew under `ENCRYPTION_KEY` what another accepted key has sealed, in the background after a start and only while
 * `ENCRYPTION_KEYS_ACCEPTED` names one. Several processes may do so at once: a row is changed only if it still is what was
 * read, so that a change by staff wins.
 */
@Injectable()
export class SealRenewal implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(SealRenewal.name);
  private running: Promise<unknown> = Promise.resolve();
  private stopped = false;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sealer: Sealer,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.sealer.hasAccepted) return;
    this.running = this.renew().then(
      (count) => this.logger.log({ count }, 'secrets were sealed under the present ENCRYPTION_KEY'),
      (error: unknown) => this.logger.error({ reason: (error as Error).message }, 'secrets could not be sealed anew'),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  /** @returns how many texts were sealed anew; one that no key opens stays as it is, and is logged */
  async renew(): Promise<number> {
    let count = 0;
    for (const entity of this.dataSource.entityMetadatas) {
      for (const property of sealedColumnsOf(entity.target)) count += await this.renewColumn(entity, property);
    }
    return count;
  }

  private async renewColumn(entity: EntityMetadata, property: string): Promise<number> {
    const column = entity.findColumnWithPropertyName(property)?.databaseName;
    const [key] = entity.primaryColumns;
    if (!column || !key || entity.primaryColumns.length > 1) {
      throw new Error(`${entity.name}.${property} is no column of a table with one key`);
    }
    const [table, id] = [entity.tableName, key.databaseName];
    let count = 0;
    for (let after: number | string | null = null; !this.stopped;) {
      const rows: { id: number | string; sealed: string }[] = await this.dataSource.query(
        `SELECT \`${id}\` AS id, \`${column}\` AS sealed FROM \`${table}\`
         WHERE \`${column}\` NOT LIKE ? ${after === null ? '' : `AND \`${id}\` > ?`} ORDER BY \`${id}\` LIMIT ${BATCH}`,
        after === null ? [`${this.sealer.prefix}%`] : [`${this.sealer.prefix}%`, after],
      );
      for (const row of rows) {
        const renewed = this.renewed(row.sealed);
        if (renewed === null) this.logger.error({ table, id: row.id }, 'a secret cannot be opened by any accepted key');
        else {
          const { affectedRows } = await this.dataSource.query<{ affectedRows: number }>(
            again(`UPDATE \`${table}\` SET \`${column}\` = ? WHERE \`${id}\` = ? AND \`${column}\` = ?`),
            [renewed, row.id, row.sealed],
          );
          count += affectedRows;
        }
      }
      after = rows.at(-1)?.id ?? null;
      if (rows.length < BATCH) break;
    }
    return count;
  }

  private renewed(sealed: string): string | null {
    try {
      return this.sealer.seal(this.sealer.open(sealed));
    } catch {
      return null;
    }
  }
}
