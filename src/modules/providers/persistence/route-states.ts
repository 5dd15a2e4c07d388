import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { again, jsonRows } from '../../../platform/database/index.js';
import type { RouteHealth, RouteStanding } from '../route-health.js';

/** Since when a route stands as it does. */
export interface KnownState {
  state: RouteHealth;
  since: Date;
  /** the last one, also when all is well again */
  error: string | null;
  errorSince: Date | null;
  /** when it was last seen */
  errorAt: Date | null;
}

interface StateRow extends KnownState {
  routeId: number;
}

const ERROR_LENGTH = 255;
/** An error that lasts is noted again so often. */
const NOTED_EVERY_MS = 30_000;

/** The stored side of how routes stand: it outlives Redis and every process. */
@Injectable()
export class RouteStates {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** By route id; routes that were never looked at are absent. */
  async read(): Promise<ReadonlyMap<number, KnownState>> {
    const rows = await this.dataSource.query<StateRow[]>(
      `SELECT route_id AS routeId, state, since, error, error_since AS errorSince, error_at AS errorAt FROM route_states LIMIT 10000`,
    );
    return new Map(rows.map(({ routeId, ...known }) => [routeId, known]));
  }

  /** Writes what has changed since it was read; nothing in the common case. */
  async note(standings: ReadonlyMap<number, RouteStanding>, at: Date): Promise<void> {
    const known = await this.read();
    const rows = [...standings].flatMap(([id, { health, lastError }]) => {
      const before = known.get(id);
      const error = lastError?.slice(0, ERROR_LENGTH) ?? null;
      const isNew = before?.state !== health;
      const isSame = error === null || error === before?.error;
      const isNoted = at.getTime() - (before?.errorAt?.getTime() ?? 0) < NOTED_EVERY_MS;
      return isNew || !isSame || (error !== null && !isNoted) ? [[id, health, error]] : [];
    });
    if (rows.length === 0) return;
    rows.sort((a, b) => Number(a[0]) - Number(b[0]));
    // The columns are set in their order: each is told by those that are not set yet.
    await this.dataSource.query(
      again(`INSERT INTO route_states (route_id, state, since, error, error_since, error_at)
       SELECT j.id, j.state, UTC_TIMESTAMP(3), j.error, IF(j.error IS NULL, NULL, UTC_TIMESTAMP(3)), IF(j.error IS NULL, NULL, UTC_TIMESTAMP(3))
       FROM JSON_TABLE(?, '$[*]' COLUMNS (id INT UNSIGNED PATH '$[0]', state VARCHAR(16) CHARACTER SET ascii PATH '$[1]',
         error VARCHAR(${ERROR_LENGTH}) CHARACTER SET utf8mb4 PATH '$[2]')) j JOIN routes r ON r.id = j.id
       ON DUPLICATE KEY UPDATE
         since = IF(route_states.state = VALUES(state), since, VALUES(since)),
         error_since = IF(VALUES(error) IS NULL OR route_states.state IN ('down', 'degraded') AND VALUES(error) <=> route_states.error,
           error_since, VALUES(error_since)),
         error_at = COALESCE(VALUES(error_at), error_at),
         error = COALESCE(VALUES(error), route_states.error),
         state = VALUES(state)`),
      [jsonRows(rows)],
    );
  }
}
