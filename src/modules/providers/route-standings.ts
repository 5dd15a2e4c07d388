import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { again, jsonRows } from '../../platform/database/index.js';
import { LeaderGate, SharedTask } from '../../platform/periodic/index.js';
import { safeError } from '../../platform/observability/index.js';
import { type BindSlot, RouteBinds } from './binds/route-binds.store.js';
import { type RouteHealth, RouteHealthBoard, type RouteStanding, UNREPORTED } from './route-health.js';
import { RouteDirectory } from './routes.store.js';

export interface KnownState {
  state: RouteHealth;
  since: Date;
  /** the last error, also after recovery */
  error: string | null;
  errorSince: Date | null;
  errorAt: Date | null;
}

interface StateRow extends KnownState {
  routeId: number;
}

const ERROR_LENGTH = 255;
const RECORD_EVERY_MS = 30_000;

/** Stored states of routes: they outlive Redis and every process. */
@Injectable()
export class RouteStates {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async read(): Promise<ReadonlyMap<number, KnownState>> {
    const rows = await this.dataSource.query<StateRow[]>(
      `SELECT route_id AS routeId, state, since, error, error_since AS errorSince, error_at AS errorAt FROM route_states LIMIT 10000`,
    );
    return new Map(rows.map(({ routeId, ...known }) => [routeId, known]));
  }

  /** Writes changed states; mostly none. */
  async record(standings: ReadonlyMap<number, RouteStanding>, at: Date): Promise<void> {
    const known = await this.read();
    const rows = [...standings].flatMap(([id, { health, lastError }]) => {
      const before = known.get(id);
      const error = lastError?.slice(0, ERROR_LENGTH) ?? null;
      const isNew = before?.state !== health;
      const isSame = error === null || error === before?.error;
      const isRecorded = at.getTime() - (before?.errorAt?.getTime() ?? 0) < RECORD_EVERY_MS;
      return isNew || !isSame || (error !== null && !isRecorded) ? [[id, health, error]] : [];
    });
    if (rows.length === 0) return;
    rows.sort((a, b) => Number(a[0]) - Number(b[0]));
    // Columns are set in order: each depends on columns that are not set yet.
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

export interface Standings {
  of: ReadonlyMap<number, RouteStanding>;
  slots: ReadonlyMap<number, readonly BindSlot[]>;
}

/** States of routes for staff, from the workers' reports and from bind slots. */
@Injectable()
export class RouteStandings {
  constructor(
    private readonly directory: RouteDirectory,
    private readonly board: RouteHealthBoard,
    private readonly binds: RouteBinds,
  ) {}

  async read(): Promise<Standings> {
    const bound = (await this.directory.list()).filter(({ binds }) => binds !== null);
    const standings = new Map(await this.board.read());
    const all = bound.length > 0 ? await this.binds.slots() : [];
    const slots = new Map<number, readonly BindSlot[]>();
    for (const { id, binds } of bound) {
      const own = all.filter(({ routeId }) => routeId === id);
      slots.set(id, own);
      standings.set(id, standingOf(binds ?? 0, own));
    }
    return { of: standings, slots };
  }
}

function standingOf(binds: number, all: readonly BindSlot[]): RouteStanding {
  const slots = all.filter(({ place }) => place <= binds);
  const bound = slots.filter((slot) => slot.bound && !slot.isFree).length;
  const lastError = slots.find(({ fault }) => fault !== null)?.fault ?? null;
  if (bound === binds) return { health: 'up', lastError: null, workers: [] };
  if (bound > 0) return { health: 'degraded', lastError, workers: [] };
  const isKnown = lastError !== null || slots.some(({ isFree }) => !isFree);
  return { health: isKnown ? 'down' : 'unknown', lastError, workers: [] };
}

const POLL_EVERY_MS = 2_000;

/** Records state changes of routes: one API process for all, every two seconds. */
@Injectable()
export class RouteStateKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(RouteStateKeeper.name);
  private readonly task: SharedTask;

  constructor(
    private readonly directory: RouteDirectory,
    private readonly standings: RouteStandings,
    private readonly states: RouteStates,
    gate: LeaderGate,
  ) {
    this.task = new SharedTask(gate, {
      name: 'route-states',
      everyMs: POLL_EVERY_MS,
      work: () => this.poll(),
      onFault: (error) => this.logger.warn({ err: safeError(error) }, 'states of routes could not be stored'),
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  async poll(): Promise<void> {
    const routes = await this.directory.list();
    if (routes.length === 0) return;
    const { of } = await this.standings.read();
    await this.states.record(new Map(routes.map(({ id }) => [id, of.get(id) ?? UNREPORTED])), now());
  }
}
