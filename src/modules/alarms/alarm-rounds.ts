import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type Provider,
  type Type,
} from '@nestjs/common';
import type { Gauge } from 'prom-client';
import { PeriodicTask } from '../../platform/concurrency/index.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { LeaderGate } from '../../platform/periodic/index.js';
import { Metrics, safeError } from '../../platform/observability/index.js';
import { ALARM_KINDS, type AlarmCheck, KINDS } from './alarm-kinds.js';
import { AlarmStore } from './alarms.store.js';
import { InboundAutomatic, InboundUnowned } from './inbound-checks.js';
import {
  DeliveryRateFallen,
  MessageLate,
  ReceiptsSilent,
  ReceiptsUnmatched,
  RouteDown,
  RouteTrafficReader,
} from './route-checks.js';
import {
  AccountFrozen,
  BackupOld,
  ChatPriceDiffers,
  CreditsUnsound,
  DatabaseSlow,
  DiskFull,
  RedisAway,
  WebhookFailing,
} from './system-checks.js';

/** Injection token of all checks; a test requires one per kind. */
export const ALARM_CHECKS = Symbol('ALARM_CHECKS');

const CHECKS: readonly Type<AlarmCheck>[] = [
  RouteDown,
  DeliveryRateFallen,
  ReceiptsSilent,
  MessageLate,
  ReceiptsUnmatched,
  InboundUnowned,
  InboundAutomatic,
  WebhookFailing,
  ChatPriceDiffers,
  AccountFrozen,
  CreditsUnsound,
  DatabaseSlow,
  RedisAway,
  DiskFull,
  BackupOld,
];

export const CHECK_PROVIDERS: readonly Provider[] = [
  RouteTrafficReader,
  ...CHECKS,
  { provide: ALARM_CHECKS, inject: [...CHECKS], useFactory: (...checks: AlarmCheck[]) => checks },
];

const JITTER = 0.1;

/** Runs all checks every `ALARM_INTERVAL` in one process. A failed check leaves its alarms unchanged and the others run. */
@Injectable()
export class AlarmRounds implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(AlarmRounds.name);
  private readonly gauge: Gauge<'kind' | 'severity'>;
  private readonly task: PeriodicTask;

  constructor(
    @Inject(ALARM_CHECKS) private readonly checks: readonly AlarmCheck[],
    private readonly store: AlarmStore,
    private readonly gate: LeaderGate,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'ALARM_INTERVAL'>,
    metrics: Metrics,
  ) {
    this.gauge = metrics.gauge(
      'switchboard_alarms_active',
      'Alarms that are raised, reported by one worker at a time',
      ['kind', 'severity'],
    );
    this.task = new PeriodicTask(
      environment.ALARM_INTERVAL,
      () => this.poll(),
      (error) => this.logger.warn({ err: safeError(error) }, 'alarms could not be checked'),
      JITTER,
    );
  }

  onApplicationBootstrap(): void {
    if (this.environment.ALARM_INTERVAL > 0) this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  async run(): Promise<void> {
    const open = await this.store.kinds();
    for (const check of this.checks) {
      try {
        const found = await check.find();
        if (found.length > 0 || open.has(check.kind)) await this.store.settle(check.kind, found);
      } catch (error) {
        this.logger.warn({ err: safeError(error), kind: check.kind }, 'an alarm could not be checked');
      }
    }
    const active = await this.store.active();
    this.gauge.reset();
    for (const kind of ALARM_KINDS) this.gauge.set({ kind, severity: KINDS[kind].severity }, active.get(kind) ?? 0);
  }

  /** Other processes reset their gauge, so that the sum over all processes is right. */
  private async poll(): Promise<void> {
    if (await this.gate.isMine('alarms', this.environment.ALARM_INTERVAL)) await this.run();
    else this.gauge.reset();
  }
}
