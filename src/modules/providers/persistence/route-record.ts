import type { Sealer } from '../../../platform/security/index.js';
import type { FormerSecret } from '../former-secret.js';
import type { Route, RouteKind } from '../ports/message-driver.js';
import type { RouteEntity } from './route.entity.js';

/** That staff have stopped a route. */
export interface RouteStop {
  at: Date;
  /** username */
  by: string;
  reason: string | null;
}

/** A route with what only its administration needs. */
export interface RouteRecord extends Route<Record<string, unknown>> {
  isDefault: boolean;
  guarded: boolean;
  /** sessions with the carrier that all workers have together; null = one a worker */
  binds: number | null;
  /** nothing leaves over it while it is there */
  stopped: RouteStop | null;
  /** the callback secret before the last rotation */
  formerCallbackSecret: FormerSecret | null;
  /** whose chat account this is; null for the operator's routes */
  owner: { accountId: number; connection: string } | null;
  /** differs whenever an open connection of the route would have to be another one */
  revision: string;
  createdAt: Date;
  updatedAt: Date;
}

/** The row with its secrets open. @throws Error when the config was sealed under another key */
export function openRoute(row: RouteEntity, sealer: Sealer): RouteRecord {
  const config = sealer.open(row.config);
  return {
    id: row.id,
    name: row.name,
    channel: row.channel as RouteKind,
    driver: row.driver,
    config: JSON.parse(config) as Record<string, unknown>,
    messagesPerSecond: row.messagesPerSecond,
    binds: row.binds,
    callbackSecret: row.callbackSecret,
    isDefault: row.defaultFor !== null,
    guarded: row.guarded,
    stopped: row.stoppedAt && { at: row.stoppedAt, by: row.stoppedBy ?? '', reason: row.stopReason },
    formerCallbackSecret:
      row.formerCallbackSecret === null || row.formerSecretUntil === null
        ? null
        : { value: row.formerCallbackSecret, until: row.formerSecretUntil.getTime() },
    owner:
      row.accountId === null || row.connection === null
        ? null
        : { accountId: row.accountId, connection: row.connection },
    revision: `${row.driver} ${row.guarded ? 'guarded ' : ''}${config}`,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** Where the carrier of a route sends its callbacks, below our public address; the last segment is a secret. */
export const callbackPath = ({
  channel,
  name,
  callbackSecret,
}: Pick<RouteRecord, 'channel' | 'name' | 'callbackSecret'>): string =>
  `/provider/${channel}/${encodeURIComponent(name)}/${callbackSecret}`;
