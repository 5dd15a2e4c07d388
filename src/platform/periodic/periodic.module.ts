import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { DayMaker, TABLE_RULES } from './day-maker.js';
import { DueWatch, WakeCalls } from './due-watch.js';
import { LeaderGate } from './leader-tasks.js';
import { ClockKeeper, Moments } from './moments.js';
import { Retention, TableKeeper } from './retention.js';
import type { TableRule } from './table-rule.js';

/** What one process does for all, for every process. */
@Global()
@Module({ providers: [DueWatch, LeaderGate, WakeCalls], exports: [DueWatch, LeaderGate, WakeCalls] })
export class LeaderTasksModule {}

const providers = (rules: readonly TableRule[]): Provider[] => [
  { provide: TABLE_RULES, useValue: rules },
  DayMaker,
  Retention,
];

/** What becomes of the rows of every table; the application brings the list. */
@Module({})
export class TablesModule {
  static of(rules: readonly TableRule[]): DynamicModule {
    return { module: TablesModule, providers: providers(rules), exports: [DayMaker, Retention] };
  }
}

/** The same in the worker, which sees to it again and again. */
@Module({})
export class TablesWorkerModule {
  static of(rules: readonly TableRule[]): DynamicModule {
    return { module: TablesWorkerModule, providers: [...providers(rules), Moments, ClockKeeper, TableKeeper] };
  }
}
