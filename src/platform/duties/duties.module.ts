import { Global, Module } from '@nestjs/common';
import { DueWatch } from './due-watch.js';
import { DutyGate } from './duty-gate.js';
import { WakeCalls } from './wake-calls.js';

/** What one process does for all, for every process. */
@Global()
@Module({ providers: [DueWatch, DutyGate, WakeCalls], exports: [DueWatch, DutyGate, WakeCalls] })
export class DutiesModule {}
