import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { ClockKeeper } from './clock-keeper.js';
import { DayMaker, TABLE_RULES } from './day-maker.js';
import { Moments } from './moments.js';
import { Retention } from './retention.js';
import { TableKeeper } from './table-keeper.js';
import type { TableRule } from './table-rule.js';

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
