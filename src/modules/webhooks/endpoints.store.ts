import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, IsNull, Not } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { afterCommit, again, duplicateKeyName, type WriteResult, isFree } from '../../platform/database/index.js';
import { WakeCalls } from '../../platform/periodic/index.js';
import { safeError } from '../../platform/observability/index.js';
import { sealedIn, Sealer } from '../../platform/security/index.js';
import {
  type Account,
  AuditLog,
  type Gone,
  isBeyond,
  isMadeBy,
  type MadeThing,
  type MadeThingListener,
  MadeThings,
} from '../accounts/index.js';
import { WebhookEndpointEntity } from './tables.js';
import { DISABLED_REASONS, MOST_WEBHOOKS, OVERLAP_MS, type WebhookFields } from './webhook.js';
import { webhookErrors } from './webhooks.errors.js';

export const WEBHOOK_CALLS = 'webhooks';
const CHECKED_AFTER_MS = 20;
const PAGE = 1_000;

const SOONEST = 'GREATEST(UTC_TIMESTAMP(3), COALESCE(held_until, UTC_TIMESTAMP(3)))';

/** SQL: a new delivery needs no row update, because a worker is sending to the endpoint or will poll it in time. */
export const IS_AWAITED = `(next_due_at IS NOT NULL AND (next_due_at <= ${SOONEST} OR NOT ${isFree()}))`;

/**
 * Maintains `next_due_at`, by which dispatchers find due endpoints (docs/decisions/0014). A worker that finds an endpoint
 * empty postpones it without seeing uncommitted deliveries of a transaction that read the endpoint as awaited. Therefore
 * writers check again after their commit, and the time stays near after a run; `repair` finds the remaining cases (a process
 * that dies right after its commit) within a minute.
 */
@Injectable()
export class EndpointMoments implements OnApplicationShutdown {
  private readonly logger = new Logger(EndpointMoments.name);
  private unchecked = new Set<number>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly calls: WakeCalls,
  ) {}

  onApplicationShutdown(): void {
    if (this.timer) clearTimeout(this.timer);
  }

  /** Call at the end of the transaction that writes deliveries; `isAwaited` as read there saves row updates. */
  async advance(tx: EntityManager, endpoints: readonly { id: number; isAwaited: boolean }[]): Promise<void> {
    const away = endpoints.flatMap(({ id, isAwaited }) => (isAwaited ? [] : [id]));
    const moved = away.length > 0 ? await this.move(tx, away) : 0;
    afterCommit(tx, () => {
      if (moved > 0) this.calls.wake(WEBHOOK_CALLS);
      if (moved < endpoints.length) this.checkSoon(endpoints.map(({ id }) => id));
    });
  }

  /** Makes endpoints due whose time is later than their first delivery. Returns their number. */
  async repair(): Promise<number> {
    let repaired = 0;
    for (let after = 0; ;) {
      const page: { id: number }[] = await this.dataSource.query(
        `SELECT endpoint_id AS id FROM webhook_deliveries WHERE endpoint_id > ? GROUP BY endpoint_id
         HAVING MIN(due_at) <= UTC_TIMESTAMP(3) ORDER BY endpoint_id LIMIT ${PAGE}`,
        [after],
      );
      const ids = page.map(({ id }) => id);
      if (ids.length > 0) repaired += await this.move(this.dataSource, ids);
      if (ids.length < PAGE) return repaired;
      after = ids.at(-1) ?? after;
    }
  }

  private async move(source: Pick<EntityManager, 'query'>, ids: readonly number[]): Promise<number> {
    const { affectedRows }: WriteResult = await source.query(
      again(
        `UPDATE webhook_endpoints SET next_due_at = ${SOONEST} WHERE id IN (?) AND status = 'active' AND NOT ${IS_AWAITED}`,
      ),
      [ids],
    );
    return affectedRows;
  }

  private checkSoon(ids: readonly number[]): void {
    for (const id of ids) this.unchecked.add(id);
    this.timer ??= setTimeout(() => void this.check(), CHECKED_AFTER_MS);
  }

  private async check(): Promise<void> {
    const ids = [...this.unchecked];
    this.unchecked = new Set();
    this.timer = null;
    try {
      if ((await this.move(this.dataSource, ids)) > 0) this.calls.wake(WEBHOOK_CALLS);
    } catch (error) {
      this.logger.warn({ err: safeError(error) }, 'endpoints could not be checked again; the sweep does it');
    }
  }
}

const placeOf = (column: 'secret' | 'previous_secret', id: number): string => sealedIn('webhook_endpoints', column, id);

/** Secrets of an endpoint, newest first. @param previous null = it signs no more */
export const openSecrets = (sealer: Sealer, id: number, secret: string, previous: string | null): string[] => [
  sealer.open(secret, placeOf('secret', id)),
  ...(previous === null ? [] : [sealer.open(previous, placeOf('previous_secret', id))]),
];

const SLOT_KEY = /\buq_webhook_endpoints_slot$/;

@Injectable()
export class EndpointStore {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sealer: Sealer,
    private readonly moments: EndpointMoments,
  ) {}

  /** The account's endpoints, oldest first, without removed ones. */
  ofAccount(accountId: number): Promise<WebhookEndpointEntity[]> {
    return this.dataSource
      .getRepository(WebhookEndpointEntity)
      .find({ where: { accountId, slot: Not(IsNull()) }, order: { id: 'ASC' } });
  }

  find(accountId: number, id: number): Promise<WebhookEndpointEntity | null> {
    return this.dataSource.getRepository(WebhookEndpointEntity).findOneBy({ id, accountId, slot: Not(IsNull()) });
  }

  locked(tx: EntityManager, accountId: number, id: number): Promise<WebhookEndpointEntity | null> {
    return tx.findOne(WebhookEndpointEntity, {
      where: { id, accountId, slot: Not(IsNull()) },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Active secrets, newest first (reference/webhooks#signature). */
  secretsOf({ id, secret, previousSecret, previousUntil }: WebhookEndpointEntity): string[] {
    const signsToo = previousSecret !== null && previousUntil !== null && previousUntil > now();
    return openSecrets(this.sealer, id, secret, signsToo ? previousSecret : null);
  }

  /** Inserts an endpoint; the unique key enforces the limit. Throws AppError conflict at `WEBHOOKS_PER_ACCOUNT`. */
  async create(
    tx: EntityManager,
    accountId: number,
    fields: { url: string; events: readonly string[]; secret: string; createdBy: string },
  ): Promise<WebhookEndpointEntity> {
    const most = this.environment.WEBHOOKS_PER_ACCOUNT;
    for (;;) {
      const rows = await tx.findBy(WebhookEndpointEntity, { accountId, slot: Not(IsNull()) });
      const taken = new Set(rows.map(({ slot }) => slot));
      const slot = Array.from({ length: most }, (_, index) => index + 1).find((candidate) => !taken.has(candidate));
      if (slot === undefined) throw webhookErrors.tooMany(most);
      const at = now();
      const row = tx.create(WebhookEndpointEntity, {
        accountId,
        slot,
        url: fields.url,
        events: fields.events.join(','),
        status: 'active',
        disabledReason: null,
        secret: '', // sealed for the row below, when its id is known
        previousSecret: null,
        previousUntil: null,
        failingSince: null,
        heldUntil: null,
        fence: 0,
        leaseUntil: null,
        nextDueAt: null,
        createdBy: fields.createdBy,
        createdAt: at,
        updatedAt: at,
      });
      try {
        await tx.insert(WebhookEndpointEntity, row);
        row.secret = this.sealer.seal(fields.secret, placeOf('secret', row.id));
        await tx.update(WebhookEndpointEntity, { id: row.id }, { secret: row.secret });
        return row;
      } catch (error) {
        // Another request took this slot.
        if (!SLOT_KEY.test(duplicateKeyName(error) ?? '')) throw error;
      }
    }
  }

  /** Changes the given fields; `active` or another URL resets failures (reference/webhooks#own-routes). */
  async change(
    tx: EntityManager,
    row: WebhookEndpointEntity,
    fields: WebhookFields,
    by: string,
  ): Promise<WebhookEndpointEntity> {
    const { url = row.url, events, status } = fields;
    const changed: Partial<WebhookEndpointEntity> = { url, events: events?.join(',') ?? row.events, updatedAt: now() };
    if (url !== row.url) changed.createdBy = by;
    if (status === 'active' || url !== row.url) Object.assign(changed, { failingSince: null, heldUntil: null });
    if (status === 'active') {
      Object.assign(changed, { status, disabledReason: null });
    } else if (status === 'disabled' && row.status !== 'disabled') {
      Object.assign(changed, { status, disabledReason: DISABLED_REASONS.byOwner });
    }
    await tx.update(WebhookEndpointEntity, { id: row.id }, changed);
    await this.moments.advance(tx, [{ id: row.id, isAwaited: false }]);
    return Object.assign(row, changed);
  }

  /** Stores a new secret; the previous one also signs for a day. Returns that end. */
  async rotate(tx: EntityManager, row: WebhookEndpointEntity, secret: string): Promise<Date> {
    const at = now();
    const former = this.sealer.open(row.secret, placeOf('secret', row.id));
    await tx.update(
      WebhookEndpointEntity,
      { id: row.id },
      {
        secret: this.sealer.seal(secret, placeOf('secret', row.id)),
        previousSecret: this.sealer.seal(former, placeOf('previous_secret', row.id)),
        previousUntil: new Date(at.getTime() + OVERLAP_MS),
        updatedAt: at,
      },
    );
    return at;
  }

  /** Marks an endpoint as removed; the sweeper deletes its rows. */
  async remove(tx: EntityManager, id: number): Promise<void> {
    await tx.update(WebhookEndpointEntity, { id }, { status: 'removed', slot: null, updatedAt: now() });
  }
}

/** Lists the webhooks of a person or key before its removal, and disables them on request. */
@Injectable()
export class MadeWebhooks implements MadeThingListener {
  constructor(
    private readonly audit: AuditLog,
    made: MadeThings,
  ) {
    made.register(this);
  }

  async madeBy(source: EntityManager, gone: Gone): Promise<MadeThing[]> {
    const rows = await this.rows(source, gone);
    return rows.map(({ id, url, status }) => ({ kind: 'webhook', id, name: url, is_active: status === 'active' }));
  }

  async endMadeBy(tx: EntityManager, actor: Account, gone: Gone): Promise<void> {
    if (!isBeyond(gone, 'webhooks')) return;
    const rows = await this.rows(tx, gone);
    const active = rows.filter(({ status }) => status === 'active');
    for (const { id } of active) {
      const reason = DISABLED_REASONS.makerGone;
      const changes = { status: 'disabled', disabledReason: reason, updatedAt: now() };
      await tx.update(WebhookEndpointEntity, { id, status: 'active' }, changes);
      const details = { id, fields: ['status'], status: 'disabled', reason };
      const { id: accountId, username: subject } = gone.account;
      await this.audit.record(tx, { actor, action: 'webhook.change', subject, accountId, details });
    }
  }

  private async rows(source: EntityManager, gone: Gone): Promise<WebhookEndpointEntity[]> {
    const where = { accountId: gone.account.id, slot: Not(IsNull()) };
    const rows = await source.find(WebhookEndpointEntity, { where, order: { id: 'ASC' }, take: MOST_WEBHOOKS });
    return rows.filter(({ createdBy }) => isMadeBy(gone, createdBy));
  }
}
