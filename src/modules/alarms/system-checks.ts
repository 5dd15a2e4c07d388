import { performance } from 'node:perf_hooks';
import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { again } from '../../platform/database/index.js';
import { RedisLink } from '../../platform/redis/index.js';
import { AccountDirectory } from '../accounts/index.js';
import { ChatPrices } from '../channels/template-messages/index.js';
import { CreditProofs } from '../credits/index.js';
import { Freezes } from '../guard/index.js';
import { FailingEndpoints } from '../webhooks/index.js';
import type { AlarmCheck, Finding } from './alarm-kinds.js';
import { DiskShortages, LastBackup } from './alarms.store.js';

/** Durable writes are slow: the database, or its disk. */
@Injectable()
export class DatabaseSlow implements AlarmCheck {
  readonly kind = 'database_slow';

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'ALARM_DATABASE_SLOW'>,
  ) {}

  async find(): Promise<Finding[]> {
    const begun = performance.now();
    await this.dataSource.query(
      again(
        `INSERT INTO replica_beats (id, beat) VALUES (1, UTC_TIMESTAMP(6)) ON DUPLICATE KEY UPDATE beat = VALUES(beat)`,
      ),
    );
    const ms = performance.now() - begun;
    const { ALARM_DATABASE_SLOW: threshold } = this.environment;
    if (ms < threshold) return [];
    const message = `A write of one row took the database ${(ms / 1000).toFixed(1)} s`;
    return [{ subject: '', message, value: Math.round(ms) / 1000, threshold: threshold / 1000 }];
  }
}

/** Redis does not answer. */
@Injectable()
export class RedisAway implements AlarmCheck {
  readonly kind = 'redis_away';

  constructor(private readonly redis: RedisLink) {}

  async find(): Promise<Finding[]> {
    if (await this.redis.ping()) return [];
    return [{ subject: '', message: 'Redis gives no answer', value: null, threshold: null }];
  }
}

const GIB = 1024 ** 3;

/** A disk that some process uses is nearly full. */
@Injectable()
export class DiskFull implements AlarmCheck {
  readonly kind = 'disk_full';

  constructor(
    private readonly shortages: DiskShortages,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'ALARM_DISK_FREE'>,
  ) {}

  async find(): Promise<Finding[]> {
    const { ALARM_DISK_FREE: threshold } = this.environment;
    return (await this.shortages.list()).map(({ host, directory, free, size }) => {
      const percent = Math.floor((1_000 * free) / size) / 10;
      const message = `Of the disk under ${directory} on ${host} ${percent} % is free: ${(free / GIB).toFixed(1)} of ${(size / GIB).toFixed(1)} GiB`;
      return { subject: `${host}:${directory}`, message, value: percent, threshold };
    });
  }
}

const HOUR_SECONDS = 3_600;

/** The last backup is older than the operator permits, or missing. */
@Injectable()
export class BackupOld implements AlarmCheck {
  readonly kind = 'backup_old';

  constructor(
    private readonly backup: LastBackup,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'BACKUP_MAX_AGE_HOURS'>,
  ) {}

  async find(): Promise<Finding[]> {
    const { BACKUP_MAX_AGE_HOURS: threshold } = this.environment;
    if (threshold === 0) return [];
    const seconds = await this.backup.ageSeconds();
    if (seconds === null) {
      return [{ subject: '', message: 'No copy of the database was ever recorded', value: null, threshold }];
    }
    const hours = Math.floor((10 * seconds) / HOUR_SECONDS) / 10;
    if (seconds <= threshold * HOUR_SECONDS) return [];
    return [{ subject: '', message: `The last copy of the database is ${hours} h old`, value: hours, threshold }];
  }
}

/** Each sums an account's movements since the last closing. */
const PROVED_A_ROUND = 5;
const MOST_ALARMED = 100;

/** A balance differs from its ledger's sum, or usage from debits and refunds. Checks recently changed accounts in rotation. */
@Injectable()
export class CreditsUnsound implements AlarmCheck {
  readonly kind = 'credits_unsound';
  private readonly proved = new Map<number, number>();
  private rounds = 0;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly proofs: CreditProofs,
    private readonly accounts: AccountDirectory,
  ) {}

  async find(): Promise<Finding[]> {
    this.rounds += 1;
    const unsound = await this.alarmed();
    const lately = await this.proofs.movedLately();
    const next = lately
      .filter((id) => !unsound.has(id))
      // A process knows its own checks only; random order covers the other accounts.
      .map((id) => ({ id, round: this.proved.get(id) ?? 0, chance: Math.random() }))
      .sort((a, b) => a.round - b.round || a.chance - b.chance)
      .map(({ id }) => id)
      .slice(0, PROVED_A_ROUND);
    const found: Finding[] = [];
    for (const id of [...unsound, ...next]) {
      this.proved.set(id, this.rounds);
      const [fault] = await this.proofs.faultsOf(id);
      if (!fault) continue;
      const username = (await this.accounts.byId(id))?.username ?? String(id);
      const { balance, stored, ledger } = fault;
      const message = `${balance} of ${username}: ${stored} stored, ${ledger} by the ledger${stored === ledger ? ', usage differs' : ''}`;
      found.push({ subject: username, message, value: stored - ledger, threshold: 0 });
    }
    for (const id of this.proved.keys()) if (!lately.includes(id)) this.proved.delete(id);
    return found;
  }

  /** Accounts with an open alarm, which every round checks. */
  private async alarmed(): Promise<ReadonlySet<number>> {
    const rows = await this.dataSource.query<{ subject: string }[]>(
      `SELECT subject FROM alarms FORCE INDEX (ix_alarms_state)
       WHERE state IN ('waiting', 'active') AND kind = ? ORDER BY id LIMIT ${MOST_ALARMED}`,
      [this.kind],
    );
    const accounts = await Promise.all(rows.map(({ subject }) => this.accounts.byUsername(subject)));
    return new Set(accounts.flatMap((account) => (account ? [account.id] : [])));
  }
}

const PRICED_WITHIN_MS = 24 * 3_600_000;

/** The chat provider bills messages in another category than the account paid for. */
@Injectable()
export class ChatPriceDiffers implements AlarmCheck {
  readonly kind = 'chat_price_differs';

  constructor(
    private readonly prices: ChatPrices,
    private readonly accounts: AccountDirectory,
  ) {}

  async find(): Promise<Finding[]> {
    const found: Finding[] = [];
    for (const { accountId, messages, category } of await this.prices.differences(PRICED_WITHIN_MS)) {
      const username = (await this.accounts.byId(accountId))?.username ?? String(accountId);
      const message = `The provider billed ${messages} messages of ${username} in another category than they were paid for, such as ${category}`;
      found.push({ subject: username, message, value: messages, threshold: 0 });
    }
    return found;
  }
}

/** Every delivery to an endpoint has failed for a while. */
@Injectable()
export class WebhookFailing implements AlarmCheck {
  readonly kind = 'webhook_failing';

  constructor(
    private readonly endpoints: FailingEndpoints,
    private readonly accounts: AccountDirectory,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'ALARM_WEBHOOK_FAILING'>,
  ) {}

  async find(): Promise<Finding[]> {
    const { ALARM_WEBHOOK_FAILING: sinceMs } = this.environment;
    const failing = await this.endpoints.since(sinceMs);
    return Promise.all(
      failing.map(async ({ id, accountId, seconds }): Promise<Finding> => {
        const username = (await this.accounts.byId(accountId))?.username ?? String(accountId);
        const message = `Every delivery to webhook ${id} of ${username} has failed for ${Math.floor(seconds / 60)} min`;
        return { subject: `${username}/${id}`, message, value: Math.floor(seconds), threshold: sinceMs / 1000 };
      }),
    );
  }
}

/** Sending of an account to some prefix is frozen. */
@Injectable()
export class AccountFrozen implements AlarmCheck {
  readonly kind = 'account_frozen';

  constructor(
    private readonly freezes: Freezes,
    private readonly accounts: AccountDirectory,
  ) {}

  async find(): Promise<Finding[]> {
    const frozen = await this.freezes.frozenAccounts();
    return Promise.all(
      frozen.map(async ({ accountId, prefixes }): Promise<Finding> => {
        const username = (await this.accounts.byId(accountId))?.username ?? String(accountId);
        const message = `Sending of ${username} is frozen to ${prefixes === 1 ? 'a prefix' : `${prefixes} prefixes`}`;
        return { subject: username, message, value: prefixes, threshold: 0 };
      }),
    );
  }
}
