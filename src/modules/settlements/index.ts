export { SettlementErasure } from './settlement-erasure.js';
export { SettlementsModule, SettlementsWorkerModule } from './settlements.module.js';
export { settlementTables } from './tables.js';
