export { CLOCK, CLOCK_BACK, type ClockStep, DueWatch, type Duty } from './due-watch.js';
export { DutiesModule } from './duties.module.js';
export { DutyGate } from './duty-gate.js';
export { SharedTask, type SharedTaskTerms } from './shared-task.js';
export { WakeCalls } from './wake-calls.js';
