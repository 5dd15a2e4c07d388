import type { Provider, Type } from '@nestjs/common';
import { BackupOld } from './checks/backup-old.js';
import { CreditsUnsound } from './checks/credits-unsound.js';
import { DeliveryRateFallen } from './checks/delivery-rate-fallen.js';
import { DiskFull } from './checks/disk-full.js';
import { MessageLate } from './checks/message-late.js';
import { ReceiptsSilent } from './checks/receipts-silent.js';
import { ReceiptsUnmatched } from './checks/receipts-unmatched.js';
import { RouteDown } from './checks/route-down.js';
import { RouteTrafficReader } from './checks/route-traffic.js';
import { DatabaseSlow, RedisAway } from './checks/servers.js';
import { WebhookFailing } from './checks/webhook-failing.js';
import type { AlarmCheck } from './domain/kinds.js';

/** Injection token of all checks; a test holds them to the kinds, one of each. */
export const ALARM_CHECKS = Symbol('ALARM_CHECKS');

const CHECKS: readonly Type<AlarmCheck>[] = [
  RouteDown,
  DeliveryRateFallen,
  ReceiptsSilent,
  MessageLate,
  ReceiptsUnmatched,
  WebhookFailing,
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
