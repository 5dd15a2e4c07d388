export { Conversions } from './conversions.js';
export { Freezes } from './freezes.store.js';
export { Guard, type GuardedSend } from './guard.js';
export { GUARD_ERRORS, guardErrors } from './guard.errors.js';
export { GuardApiModule, GuardModule } from './guard.module.js';
export { guardTables } from './tables.js';
