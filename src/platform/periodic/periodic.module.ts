import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { DayMaker, TABLE_RULES } from './day-maker.js';
import { DueWatch, WakeCalls } from './due-watch.js';
import { LeaderGate } from './leader-tasks.js';
import { ClockKeeper, Moments } from './moments.js';
import { Retention, TableKeeper } from './retention.js';
import type { TableRule } from './table-rule.js';

@Global()
@Module({ providers: [DueWatch, LeaderGate, WakeCalls], exports: [DueWatch, LeaderGate, WakeCalls] })
export class LeaderTasksModule {}

const providers = (rules: readonly TableRule[]): Provider[] => [
  { provide: TABLE_RULES, useValue: rules },
  DayMaker,
  Retention,
];

/** Rules for the rows of every table; the application provides the list. */
@Module({})
export class TablesModule {
  static of(rules: readonly TableRule[]): DynamicModule {
    return { module: TablesModule, providers: providers(rules), exports: [DayMaker, Retention] };
  }
}

/** The same with the worker's periodic tasks. */
@Module({})
export class TablesWorkerModule {
  static of(rules: readonly TableRule[]): DynamicModule {
    return { module: TablesWorkerModule, providers: [...providers(rules), Moments, ClockKeeper, TableKeeper] };
  }
}
